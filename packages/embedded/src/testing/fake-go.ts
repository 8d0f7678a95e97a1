import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a stand-in for the Go toolchain behaves. */
export interface FakeGoOptions {
  readonly version?: string;
  /** Where it says that it keeps what it compiled. */
  readonly buildCache?: string;
  /** How many times `go list` fails with `complaint` before it works. */
  readonly failures?: number;
  readonly complaint?: string;
  /** `go build` starts a compiler and then never ends; nor does a download of modules. */
  readonly hangs?: boolean;
  /** What `go build` prints on standard error before it fails, instead of building. */
  readonly buildWords?: string;
}

export interface FakeGo {
  /** An environment in which this is the only Go. */
  readonly env: NodeJS.ProcessEnv;
  /** The first words of each call so far. */
  calls(): string[];
  /** Process numbers of a hanging build and its compiler. */
  pids(): number[];
}

/** A shell script called `go` that answers as Go would for what is asked of it here, and compiles nothing. */
export function fakeGo(directory: string, options: FakeGoOptions = {}): FakeGo {
  const bin = join(directory, 'go-bin');
  mkdirSync(bin, { recursive: true });
  const [calls, pids, failures] = ['calls', 'pids', 'failures'].map((name) => join(directory, name)) as [string, string, string];
  writeFileSync(calls, '');
  writeFileSync(pids, '');
  writeFileSync(failures, 'x'.repeat(options.failures ?? 0));
  const cache = options.buildCache ?? directory;
  const answer = { GOVERSION: `go${options.version ?? '1.99.0'}`, GOCACHE: cache, GOMODCACHE: directory };
  writeFileSync(
    join(bin, 'go'),
    `#!/bin/sh
echo "$1" >> '${calls}'
case "$1" in
env) echo '${JSON.stringify(answer)}' ;;
list)
  left=$(cat '${failures}')
  if [ -n "$left" ]; then
    printf '%s' "\${left#x}" > '${failures}'
    echo '${options.complaint ?? 'reading module: 429 Too Many Requests'}' >&2
    exit 1
  fi
  echo 'go: downloading example.com/module v1.0.0' >&2
  printf 'example.com/fresh \\nexample.com/stale build ID mismatch\\n' ;;
${options.hangs ? 'mod) exec sleep 1000 ;;' : ''}
build)
  ${options.hangs ? `sleep 1000 & echo "$$ $!" > '${pids}'; wait` : ''}
  ${options.buildWords === undefined ? '' : `echo '${options.buildWords}' >&2; exit 1`}
  echo 'example.com/stale' >&2
  while [ "$1" != -o ]; do shift; done
  target=$2; shift 2
  for path in "$@"; do
    name=\${path##*/}
    case "$name" in v[0-9]) name=\${path%/*}; name=\${name##*/} ;; esac
    printf '#!/bin/sh\\necho %s\\n' "$name" > "$target/$name"
    chmod +x "$target/$name"
  done ;;
esac
`,
    { mode: 0o755 },
  );
  return {
    env: { PATH: `${bin}:/usr/bin:/bin` },
    calls: () => readFileSync(calls, 'utf8').split('\n').filter(Boolean),
    pids: () => readFileSync(pids, 'utf8').split(/\s+/).filter(Boolean).map(Number),
  };
}
