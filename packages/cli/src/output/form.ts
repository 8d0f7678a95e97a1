import { Option } from 'commander';
import { stringify } from 'yaml';

export type Form = 'table' | 'wide' | 'json' | 'yaml';

/** `-o FORM`, the same for every list. */
export function formOption(): Option {
  return new Option('-o, --output <form>', 'form of the output').choices(['table', 'wide', 'json', 'yaml']).default('table');
}

/** Prints for programs what `value` gives, or for people what `text` gives. */
export function print(form: Form, value: () => unknown, text: (isWide: boolean) => string): void {
  if (form === 'json') process.stdout.write(`${JSON.stringify(value(), undefined, 2)}\n`);
  else process.stdout.write(form === 'yaml' ? stringify(value(), { aliasDuplicateObjects: false }) : text(form === 'wide'));
}

/** Objects as the list kubectl prints for programs; who wrote which field is of no use to a reader. */
export function listOf<T extends { readonly metadata: object }>(objects: readonly T[]): object {
  return { apiVersion: 'v1', kind: 'List', items: objects.map(withoutManagedFields) };
}

function withoutManagedFields<T extends { readonly metadata: object }>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as { managedFields?: unknown };
  return { ...object, metadata };
}
