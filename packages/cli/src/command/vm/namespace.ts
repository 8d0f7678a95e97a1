import type { Option } from 'commander';
import { defaultNamespace, namespaceOption } from '../image/namespace.ts';

/** `-n NAMESPACE` of machines. */
export const machineNamespaceOption = (): Option => namespaceOption(`namespace of the machine (default: ${defaultNamespace})`);

/** The machines a command line names, each once. */
export const addressesOf = (names: readonly string[], namespace = defaultNamespace) =>
  [...new Set(names)].map((name) => ({ namespace, name }));
