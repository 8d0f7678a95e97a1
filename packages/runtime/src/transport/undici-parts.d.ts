/** A part of undici that has no types under its own name. */
declare module 'undici/lib/dispatcher/agent.js' {
  const agent: typeof import('undici').Agent;
  export default agent;
}
