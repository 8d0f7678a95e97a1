import { EmbeddedError } from '#embedded-error.ts';

/** In the order in which Go looks: modules come over https. */
const variables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/** Of what can go wrong on the way to a proxy, what another try does not change. */
const permanent = /proxyconnect \w+: .*?(connection refused|no such host|network is unreachable|no route to host)/;

/**
 * The proxy of the environment does not answer: an error that names the variable, because nobody else will. Undefined when that is not what is wrong.
 */
export function proxyFailure(lines: readonly string[], env: NodeJS.ProcessEnv): EmbeddedError | undefined {
  const why = permanent.exec(lines.join('\n'))?.[1];
  if (why === undefined) return undefined;
  const variable = variables.find((name) => env[name]);
  const named = variable === undefined ? 'its proxy' : `the proxy ${withoutPassword(env[variable]!)} that ${variable} names`;
  const correct =
    variable === undefined ? 'correct the proxy settings' : `correct ${variable}, or unset it if no proxy is needed`;
  return new EmbeddedError(
    'ProxyUnreachable',
    `Go cannot reach ${named} (${why}): start the proxy, or ${correct}, and start again; what was downloaded so far is kept.`,
  );
}

const withoutPassword = (url: string): string => url.replace(/\/\/[^/@]*@/, '//');
