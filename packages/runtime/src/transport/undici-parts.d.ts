/** Parts of undici that have no types under their own names. */
declare module 'undici/lib/dispatcher/agent.js' {
  const agent: typeof import('undici').Agent;
  export default agent;
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
  const agent: typeof import('undici').ProxyAgent;
  export default agent;
}
