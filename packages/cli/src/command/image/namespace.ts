import { InvalidArgumentError, Option } from 'commander';

/** As kubectl: what names no namespace means this one. */
export const defaultNamespace = 'default';

/** `-n NAMESPACE`. */
export const namespaceOption = (words = `namespace of the image (default: ${defaultNamespace})`): Option =>
  new Option('-n, --namespace <name>', words).argParser(namespaceArgument);

/** A name no namespace can have would look like one in which there is nothing. */
function namespaceArgument(text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('Write the name of a namespace: lower-case letters, digits and dashes, at most 63.');
}

/** `--workspace ID`. */
export const workspaceOption = (): Option => new Option('--workspace <id>', 'only images of the DataSyncs with this workspaceId');
