/** What must hold for the image template of a machine: what the API server judges by CEL, told before it is asked. */
import { sourceRules } from '#vmdiskimage/source.ts';
import { entryAt, type Lab, textOf } from './lab.ts';
import { broken, type TopologyProblem } from './problem.ts';

type Source = { readonly sourceType: string; readonly url: string; readonly hasChecksum: boolean };

const begins = (url: string, ...schemes: readonly string[]): boolean => schemes.some((scheme) => url.startsWith(`${scheme}://`));

/** The rules of `sourceRules`, one for one and in their order: their sentences and fields are taken from there. */
const holds: readonly ((source: Source) => boolean)[] = [
  ({ sourceType, url }) => sourceType === 'blank' || url !== '',
  ({ sourceType, url }) => sourceType !== 'blank' || url === '',
  ({ sourceType, url }) => (sourceType !== 's3' && sourceType !== 'http') || url === '' || begins(url, 'https', 'http'),
  ({ sourceType, url }) => sourceType !== 'gcs' || url === '' || begins(url, 'gs', 'https'),
  ({ sourceType, url }) => sourceType !== 'registry' || url === '' || begins(url, 'docker', 'oci-archive'),
  ({ sourceType, hasChecksum }) => !hasChecksum || sourceType === 'http',
];

/** The source of every image template fits its type. */
export const imageSources = (lab: Lab): TopologyProblem[] =>
  lab.vms.flatMap((vm) => {
    const { path, fields } = entryAt(vm, 'vmDiskImageTemplate');
    const sourceType = textOf(fields.sourceType);
    if (sourceType === undefined) return [];
    const source = { sourceType, url: textOf(fields.url) ?? '', hasChecksum: textOf(fields.checksum) !== undefined };
    return sourceRules.flatMap(({ message, fieldPath = '' }, index) =>
      holds[index]!(source) ? [] : [broken(`${path}${fieldPath}`, fields[fieldPath.slice(1)], message)],
    );
  });
