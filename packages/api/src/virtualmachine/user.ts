import { bounds } from '#common/bounds.ts';
import { flag, objectName, text } from '#common/field.ts';
import { setList } from '#common/list.ts';
import { rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';

const passwordSecretRef = Type.Object(
  {
    name: objectName('Secret in the same namespace.'),
    key: Type.Optional(
      text(253, 'Key of the password in that Secret.', { minLength: 1, pattern: '^[-._a-zA-Z0-9]+$', default: 'password' }),
    ),
  },
  { description: 'Where the password is kept. Safer than plain_text_passwd, which everyone who can read this object can read.' },
);

/** An account in the guest, under the names cloud-init uses. */
export const user = Type.Object(
  {
    name: text(
      bounds.nameLength,
      'Login name. One that Linux refuses, such as a name with a blank, is accepted with a warning.',
      {
        minLength: 1,
        pattern: '^[^:\\t\\r\\n]+$',
      },
    ),
    plain_text_passwd: Type.Optional(
      text(256, 'Password in the clear. Passed on in a Secret only, but readable here; passwordSecretRef is safer.'),
    ),
    hashed_passwd: Type.Optional(text(512, 'Password as a hash in crypt format, such as mkpasswd makes.')),
    passwordSecretRef: Type.Optional(passwordSecretRef),
    lock_passwd: Type.Optional(flag('Forbid logging in with the password. Left out: cloud-init forbids it.')),
    sudo: Type.Optional(text(1024, 'Rule for sudo, such as ALL=(ALL) NOPASSWD:ALL.', { pattern: '^[^\\r\\n]*$' })),
    groups: Type.Optional(text(1024, 'Further groups, separated by commas.', { pattern: '^[^\\r\\n]*$' })),
    ssh_authorized_keys: Type.Optional(
      setList(
        text(2048, 'One public key, as in authorized_keys.', { minLength: 1, pattern: '^[^\\r\\n]+$' }),
        'Keys that may log in over SSH.',
        {
          maxItems: 16,
        },
      ),
    ),
  },
  {
    description: 'An account in the guest, under the names cloud-init uses.',
    ...rules({
      rule: '[has(self.plain_text_passwd), has(self.hashed_passwd), has(self.passwordSecretRef)].filter(given, given).size() <= 1',
      message: 'a user has more than one password: keep one of passwordSecretRef, hashed_passwd and plain_text_passwd',
    }),
  },
);
