import { crdOf } from '#crd/crd.ts';
import { kinds } from '#kinds.ts';
import { admissionPolicies } from '#policy/all.ts';
import { operatorIdentity } from '#rbac/operator-identity.ts';
import { operatorRole } from '#rbac/operator-role.ts';

/** What an operator finds installed in tests: all kinds, all policies, its identity and its rights. The ledger is not applied: it is made once. */
export const installation = () => [...kinds.map(crdOf), ...admissionPolicies().flat(), ...operatorIdentity(), ...operatorRole()];
