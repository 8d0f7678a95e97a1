/** Parts of prom-client that have no types under their own names. */
declare module 'prom-client/lib/counter.js' {
  const counter: typeof import('prom-client').Counter;
  export default counter;
}

declare module 'prom-client/lib/gauge.js' {
  const gauge: typeof import('prom-client').Gauge;
  export default gauge;
}

declare module 'prom-client/lib/histogram.js' {
  const histogram: typeof import('prom-client').Histogram;
  export default histogram;
}

declare module 'prom-client/lib/registry.js' {
  const registry: typeof import('prom-client').Registry;
  export default registry;
}
