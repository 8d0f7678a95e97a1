import { durationCase, quantityCase, type RuleCases } from './crd-rule-case.ts';

/** Settings of an instance with every field the rules look at. */
export const settings = {
  lifecycle: { ttl: '2h', maxTtl: '4h', idleTimeout: '30m', warnBefore: '10m' },
  isolation: { mode: 'individual' },
  cluster: { mode: 'per-workspace', version: '1.36' },
  resources: { cpu: '500m', memory: '512Mi' },
  home: { size: '1Gi' },
};

/** Rules of `defaults` in a template and of `overrides` in an instance. */
export const settingsCases: RuleCases = {
  ...durationCase('lifecycle.ttl'),
  ...durationCase('lifecycle.idleTimeout'),
  ...durationCase('lifecycle.warnBefore'),
  'lifecycle.maxTtl is zero': {
    rule: 'lifecycle.maxTtl must be longer than zero; write a duration such as 90s, 30m or 2h',
    field: 'lifecycle.maxTtl',
    refused: { 'lifecycle.maxTtl': '0s', 'lifecycle.ttl': undefined },
    accepted: { 'lifecycle.maxTtl': '1s', 'lifecycle.ttl': undefined },
  },
  'more time than the most': {
    rule: 'lifecycle.ttl is longer than lifecycle.maxTtl; lower ttl or raise maxTtl',
    field: 'lifecycle.ttl',
    refused: { 'lifecycle.ttl': '241m' },
    accepted: { 'lifecycle.ttl': '240m' },
  },
  'a mode that is reserved': {
    rule: 'isolation.mode team is reserved for a later version and does nothing yet; use individual',
    field: 'isolation.mode',
    refused: { 'isolation.mode': 'team' },
    accepted: { isolation: undefined },
  },
  'a version for no cluster': {
    rule: 'cluster.version has a meaning for cluster.mode per-workspace only; remove version, or use mode per-workspace',
    field: 'cluster.version',
    refused: { 'cluster.mode': 'none' },
    accepted: { cluster: { mode: 'none' } },
  },
  'a version for a shared cluster': {
    rule: 'cluster.version has a meaning for cluster.mode per-workspace only; remove version, or use mode per-workspace',
    field: 'cluster.version',
    refused: { 'cluster.mode': 'shared' },
    accepted: { cluster: { mode: 'shared' } },
  },
  ...quantityCase('resources.cpu'),
  ...quantityCase('resources.memory'),
  ...quantityCase('home.size'),
};
