import type { DataVolumeSource, SourceWithUrl } from '../objects.ts';
import { bytesOf } from '../quantity.ts';
import { parseDuration } from '../scenario/duration.ts';
import { diskBytesOf } from './desired.ts';
import { faultOf, type ImportKind } from './fault.ts';
import type { ImportScript } from './import-timeline.ts';
import type { DataVolumeView } from './view.ts';

/** The kind and details of a source that is imported; undefined for clones and what is not simulated. */
export function importSourceOf(
  source: DataVolumeSource | undefined,
): { kind: ImportKind; details: Partial<SourceWithUrl> } | undefined {
  for (const kind of ['http', 's3', 'gcs', 'registry', 'blank'] as const) {
    const details = source?.[kind];
    if (details !== undefined) return { kind, details };
  }
  return undefined;
}

export function importScript(view: DataVolumeView, source: { kind: ImportKind; details: Partial<SourceWithUrl> }): ImportScript {
  const { scenario, switches, dataVolume, attempt } = view;
  const lengthMs = parseDuration(switches.get('slow') ?? switches.get('import') ?? '');
  const fault = faultOf({
    kind: source.kind,
    source: source.details,
    switches,
    diskBytes: diskBytesOf(dataVolume) ?? 0,
    attempt,
    missing: view.missing,
  });
  return {
    kind: source.kind,
    durations: lengthMs === undefined ? scenario.durations : { ...scenario.durations, import: lengthMs },
    bytes: bytesOf(switches.get('bytes')) ?? scenario.downloadBytes,
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Whether the import is over before anyone could look at it. */
export function isInstant({ kind, durations, fault }: ImportScript): boolean {
  const lengthMs = kind === 'blank' ? durations.blank : durations.import;
  return fault === undefined && durations.schedule === 0 && durations.validate === 0 && lengthMs === 0;
}
