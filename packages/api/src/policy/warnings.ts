import type { PolicyDefinition } from './admission-policy.ts';
import { aboutFirst, notTheOperator, orEmpty, quoted } from './cel.ts';
import { type InstallOptions, resolveInstall } from './install.ts';
import { type SourceHolder, sourceHolders } from './source-holder.ts';

/** What useradd accepts on Linux. */
const userNamePattern = '^[a-z_][a-z0-9_-]{0,31}$';

/** What is legal but likely not meant: accepted, and the client is told. */
function usersPolicy(holder: SourceHolder, machineName: (machine: string) => string, operatorUser: string): PolicyDefinition {
  const { kind, group, plural } = holder;
  const users = (condition: (user: string) => string) =>
    `variables.machines.map(v, v.users.filter(u, ${condition('u')}).map(u, {'machine': ${machineName('v')}, 'user': string(u.name)}))`;
  return {
    name: `terrain-${kind.toLowerCase()}-users`,
    purpose: `Warns about accounts in a ${kind} that are legal but unwise.`,
    rule: { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [plural] },
    // Warnings are for people; the operator's own objects repeat what somebody was already told.
    conditions: { 'not-the-operator': notTheOperator(operatorUser) },
    variables: {
      machines: `${holder.items('object')}.filter(v, has(v.users))`,
      inTheClear: users((user) => `${orEmpty(user, 'plain_text_passwd')} != ''`),
      unusual: users((user) => `!${user}.name.matches(${quoted(userNamePattern)})`),
    },
    validations: {
      passwordInTheClear: warning(
        'inTheClear',
        'A user has plain_text_passwd, which everyone who may read this object can read: passwordSecretRef is safer.',
        (first) =>
          `'user "' + ${first}.user + '"' + ${first}.machine + ' has plain_text_passwd, which everyone who may read this object can read: passwordSecretRef is safer'`,
      ),
      unusualName: warning(
        'unusual',
        'A user has a name that Linux refuses: lower-case letters, digits, - and _, at most 32, not starting with a digit.',
        (first) =>
          `'user name "' + ${first}.user + '"' + ${first}.machine + ' will be refused by Linux: use lower-case letters, digits, - and _, at most 32, not starting with a digit'`,
      ),
    },
    action: 'Warn',
  };
}

/** `variable` is a list of lists, one per machine: CEL has no way to make it flat. */
function warning(
  variable: string,
  message: string,
  sentence: (first: string) => string,
): PolicyDefinition['validations'][string] {
  const list = `variables.${variable}`;
  const nonEmpty = `${list}.filter(machine, machine.size() > 0)`;
  return {
    expression: `${list}.all(machine, machine.size() == 0)`,
    message,
    messageExpression: `${list}.all(machine, machine.size() == 0) ? '' : [${nonEmpty}[0]].map(first, ${aboutFirst('first', sentence)})[0]`,
  };
}

/** The policies that warn, one per kind that has users. */
export function warningPolicies(install: InstallOptions = {}): PolicyDefinition[] {
  const { operatorUser } = resolveInstall(install);
  const inLab = (machine: string) => `' of machine ' + ${machine}.name`;
  return [
    usersPolicy(sourceHolders.VirtualMachine, () => `''`, operatorUser),
    usersPolicy(sourceHolders.Workspace, inLab, operatorUser),
    usersPolicy(sourceHolders.WorkspaceTemplate, inLab, operatorUser),
  ];
}
