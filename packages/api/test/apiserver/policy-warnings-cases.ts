import { aMachine, aTemplate, aWorkspace, type Subject } from './policy-objects.ts';

/** An object that is accepted, the validations that warn, and their sentences. */
export type Warned = { readonly subject: Subject; readonly rules: readonly string[]; readonly words: readonly string[] };

const clear = { plain_text_passwd: 'demo-pwd' };
const inTheClear = (user: string) =>
  `user ${user} has plain_text_passwd, which everyone who may read this object can read: passwordSecretRef is safer`;
const unusual = (user: string) =>
  `user name ${user} will be refused by Linux: use lower-case letters, digits, - and _, at most 32, not starting with a digit`;

const machine = 'terrain-virtualmachine-users';

export const warned: Readonly<Record<string, Warned>> = {
  'a machine without users': { subject: aMachine(), rules: [], words: [] },
  'a machine whose users are in order': {
    subject: aMachine({
      users: [
        { name: 'me', passwordSecretRef: { name: 'passwords', key: 'me' } },
        { name: '_you-2', hashed_passwd: '$6$x' },
        { name: 'nobody', plain_text_passwd: '' },
      ],
    }),
    rules: [],
    words: [],
  },
  'a password in the clear': {
    subject: aMachine({ users: [{ name: 'me', ...clear }] }),
    rules: [`${machine}/passwordInTheClear`],
    words: [inTheClear('"me"')],
  },
  'several passwords in the clear': {
    subject: aMachine({ users: [{ name: 'me', ...clear }, { name: 'other' }, { name: 'you', ...clear }] }),
    rules: [`${machine}/passwordInTheClear`],
    words: [`${inTheClear('"me"')} (and 1 more)`],
  },
  'a name with a blank, as in the proposal': {
    subject: aMachine({ users: [{ name: 'demo user', ...clear }] }),
    rules: [`${machine}/passwordInTheClear`, `${machine}/unusualName`],
    words: [inTheClear('"demo user"'), unusual('"demo user"')],
  },
  'a name that starts with a digit': {
    subject: aMachine({ users: [{ name: '1st' }] }),
    rules: [`${machine}/unusualName`],
    words: [unusual('"1st"')],
  },
  'a name that is too long': {
    subject: aMachine({ users: [{ name: 'u'.repeat(33) }] }),
    rules: [`${machine}/unusualName`],
    words: [unusual(`"${'u'.repeat(33)}"`)],
  },
  ...lab('Workspace', aWorkspace),
  ...lab('WorkspaceTemplate', aTemplate),
};

function lab(kind: string, build: (machines: readonly Record<string, unknown>[]) => Subject): Record<string, Warned> {
  const policy = `terrain-${kind.toLowerCase()}-users`;
  return {
    [`a ${kind} whose users are in order`]: { subject: build([{}, { users: [{ name: 'me' }] }]), rules: [], words: [] },
    [`a ${kind} with both`]: {
      subject: build([
        {},
        { users: [{ name: 'ok' }] },
        { users: [{ name: 'Me', ...clear }] },
        { users: [{ name: 'You', ...clear }] },
      ]),
      rules: [`${policy}/passwordInTheClear`, `${policy}/unusualName`],
      words: [inTheClear('"Me" of machine vm-2'), unusual('"Me" of machine vm-2')],
    },
  };
}
