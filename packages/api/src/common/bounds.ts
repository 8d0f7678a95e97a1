/**
 * Upper bounds of everything a person may write.
 *
 * CEL rules have a cost budget that the API server estimates from these bounds before it accepts a CRD, and spends again on every
 * write. Raising one can make the CRD, or the largest legal object, unacceptable: the API server suites try both.
 */
export const bounds = {
  vms: 32,
  interfaces: 8,
  containerClusters: 32,
  containers: 16,
  networks: 20,
  routes: 16,
  users: 16,
  volumes: 32,
  dataSyncVms: 100,
  steps: 200,
  pullSecrets: 16,
  nameLength: 63,
  addressLength: 43,
  urlLength: 2048,
  durationLength: 16,
  quantityLength: 32,
  messageLength: 32768,
} as const;
