import { quantityCase, type RuleCases } from './crd-rule-case.ts';

/** A machine with every field the rules look at. */
export const machine = {
  resources: { cpu: '2', memory: '2Gi', diskSize: '18Gi' },
  interfaces: [{ network: 'control-net', ipAddress: '10.10.0.161/24', macAddress: '02:00:5e:10:00:01' }],
  users: [{ name: 'demo user', plain_text_passwd: 'demo-pwd' }],
  guestReadiness: { mode: 'Agent' },
};

/** Rules of a network card. */
export const interfaceCases: RuleCases = {
  'an address without prefix length': {
    rule: 'ipAddress must be an IP address with its prefix length, such as 10.10.0.161/24',
    field: 'interfaces[0].ipAddress',
    refused: { 'interfaces[0].ipAddress': '10.10.0.161' },
    accepted: { 'interfaces[0].ipAddress': undefined },
  },
};

const onePassword = 'a user has more than one password: keep one of passwordSecretRef, hashed_passwd and plain_text_passwd';

/** Rules of a machine, alone or in a workspace. */
export const machineCases: RuleCases = {
  ...interfaceCases,
  ...quantityCase('resources.cpu'),
  ...quantityCase('resources.memory'),
  ...quantityCase('resources.diskSize'),
  'two passwords': {
    rule: onePassword,
    field: 'users[0]',
    refused: { 'users[0].hashed_passwd': '$6$salt$hash' },
    accepted: { 'users[0].plain_text_passwd': undefined, 'users[0].hashed_passwd': '$6$salt$hash' },
  },
  'a password and a Secret with another': {
    rule: onePassword,
    field: 'users[0]',
    refused: { 'users[0].passwordSecretRef': { name: 'passwords' } },
    accepted: { 'users[0].plain_text_passwd': undefined, 'users[0].passwordSecretRef': { name: 'passwords', key: 'demo' } },
  },
  'readiness by TCP without a port': {
    rule: 'guestReadiness.port is missing: name the port that answers when the guest is ready, or use mode Running or Agent',
    field: 'guestReadiness.mode',
    refused: { guestReadiness: { mode: 'TCP' }, interfaces: undefined },
    accepted: { guestReadiness: { mode: 'TCP', port: 22 }, interfaces: undefined },
  },
  'readiness by TCP off the pod network': {
    rule: 'guestReadiness mode TCP works on the pod network only, and a machine with interfaces is not on it; use mode Agent or Running, or remove the interfaces',
    field: 'guestReadiness',
    refused: { guestReadiness: { mode: 'TCP', port: 22 } },
    accepted: { guestReadiness: { mode: 'TCP', port: 22 }, interfaces: [] },
  },
};
