import { Option } from 'commander';

/** As kubectl: what names no namespace means this one. */
export const defaultNamespace = 'default';

/** `-n NAMESPACE`. */
export const namespaceOption = (words = `namespace of the image (default: ${defaultNamespace})`): Option =>
  new Option('-n, --namespace <name>', words);

/** `--workspace ID`. */
export const workspaceOption = (): Option => new Option('--workspace <id>', 'only images of the DataSyncs with this workspaceId');
