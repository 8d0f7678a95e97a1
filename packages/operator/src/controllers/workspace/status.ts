/** What people and other programs read about a workspace. The only file that names its conditions and phases. */
import type { WorkspaceCondition, WorkspaceReason, WorkspaceStatus } from '@terrain/api';
import { conditionOf, cut } from '#controllers/shared/condition.ts';
import { type Blockers, type Component, componentsOf } from './components.ts';
import { rolesFinding } from './deploy.ts';
import { isOwnNamespace, isWantedRunning, namespaceOf } from './facts.ts';
import { type ComponentKind, type Finding, no, type Snapshot, yes } from './snapshot.ts';

/** What a pass found and did. */
export type Report = {
  /** Why nothing can be done at all. */
  readonly because?: Finding | undefined;
  readonly blockers: Blockers;
};

type Verdicts = Readonly<Record<WorkspaceCondition, Finding>>;

export function statusOf(snapshot: Snapshot, report: Report): WorkspaceStatus {
  const { workspace, nowMs } = snapshot;
  const { generation } = workspace.metadata;
  const components = componentsOf(snapshot, report.blockers);
  const verdicts = verdictsOf(snapshot, components, report);
  const context = { before: workspace.status?.conditions ?? [], generation, nowMs };
  const isReady = verdicts.Ready.status === 'True';
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: isReady ? 'Ready' : verdicts.Stalled.status === 'True' ? 'Failed' : 'Provisioning',
    message: cut(verdicts.Ready.message, longestMessage),
    conditions: Object.entries(verdicts).map(([type, verdict]) =>
      conditionOf(type, verdict, { ...context, longest: type === 'Valid' ? longestCondition : longestMessage }),
    ),
    ...(isOwnNamespace(snapshot) ? { namespace: namespaceOf(workspace) } : {}),
    ready: `${components.filter(({ finding }) => finding.status === 'True').length}/${components.length}`,
    ...(components.length === 0 ? {} : { components: components.map(shown) }),
  };
}

const shown = ({ kind, name, finding }: Component): NonNullable<WorkspaceStatus['components']>[number] => ({
  kind,
  name,
  phase: finding.status === 'True' ? 'Ready' : finding.isStuck === true ? 'Failed' : 'Provisioning',
  message: cut(finding.message, longestComponentMessage),
});

/** Conditions that sum up the parts of one kind, and what they say when there is none. */
const parts: Readonly<Record<string, { readonly kind: ComponentKind; readonly all: string }>> = {
  DiskImagesReady: { kind: 'VMDiskImage', all: 'disk images' },
  NetworksReady: { kind: 'Network', all: 'networks' },
  VolumesReady: { kind: 'Volume', all: 'volumes' },
  VirtualMachinesReady: { kind: 'VirtualMachine', all: 'machines' },
  ContainersReady: { kind: 'ContainerCluster', all: 'container clusters' },
};

function verdictsOf(snapshot: Snapshot, components: readonly Component[], { because, blockers }: Report): Verdicts {
  const sums = Object.fromEntries(
    Object.entries(parts).map(([condition, { kind, all }]) => [
      condition,
      sumOf(
        components.filter((component) => component.kind === kind),
        all,
      ),
    ]),
  ) as Pick<Verdicts, 'DiskImagesReady' | 'NetworksReady' | 'VolumesReady' | 'VirtualMachinesReady' | 'ContainersReady'>;
  const ground = because?.reason === 'Invalid' ? undefined : (because ?? blockers.get('namespace'));
  const NetworksReady = ground === undefined || ground.reason === 'Paused' ? sums.NetworksReady : ground;
  const isInvalid = because?.reason === 'Invalid';
  return {
    Valid: isInvalid ? because : yes('Valid', 'addresses, networks, mounts and names fit together'),
    ...sums,
    NetworksReady,
    DeployRolesApplied: rolesFinding(snapshot),
    ...summaryOf(snapshot, components, because ?? blockers.get('namespace')),
  };
}

/** The worst of a kind speaks for all. */
function sumOf(components: readonly Component[], all: string): Finding {
  const worst = worstOf(components);
  if (worst === undefined) return yes('Ready', components.length === 0 ? `there are no ${all}` : `all ${all} are ready`);
  const others = components.filter(({ finding }) => finding.status === 'False').length - 1;
  const { name, finding } = worst;
  const message = `${name}: ${finding.message}${others > 0 ? `, and ${others} more of ${components.length} ${all} not ready` : ''}`;
  return { ...finding, message };
}

function worstOf(components: readonly Component[]): Component | undefined {
  const unready = components.filter(({ finding }) => finding.status === 'False');
  const own = unready.filter(({ finding }) => finding.reason !== 'Waiting');
  return own.find(({ finding }) => finding.isStuck === true) ?? own[0] ?? unready[0];
}

function summaryOf(
  { workspace }: Snapshot,
  components: readonly Component[],
  because: Finding | undefined,
): Pick<Verdicts, 'Ready' | 'Reconciling' | 'Stalled'> {
  const unready = components.filter(({ finding }) => finding.status === 'False');
  if (because === undefined && unready.length === 0) {
    const message = isWantedRunning(workspace)
      ? `all ${components.length} parts are ready`
      : 'powerState is Stopped: disks and volumes are kept, nothing runs';
    return {
      Ready: yes(isWantedRunning(workspace) ? 'Ready' : 'Stopped', message),
      Reconciling: no('UpToDate', message),
      Stalled: no('UpToDate', message),
    };
  }
  const worst = worstOf(components);
  const words = worst === undefined ? '' : `${worst.kind} ${worst.name}: ${worst.finding.message}`;
  const { reason, message } = because ?? { reason: worst?.finding.reason ?? 'Progressing', message: words };
  if (reason === 'Paused') return { Ready: no(reason, message), Reconciling: no(reason, message), Stalled: no(reason, message) };
  // Those that merely wait for others have no problem of their own.
  const problems = because === undefined ? unready.map(({ finding }) => finding) : [because];
  const isStuck = problems.every((finding) => finding.isStuck === true || finding.reason === 'Waiting');
  const why: WorkspaceReason = reason;
  return {
    Ready: no(why, message),
    Reconciling: isStuck ? no(why, message) : yes('Progressing', message),
    Stalled: isStuck ? { status: 'True', reason: why, message } : no('Progressing', message),
  };
}

const longestMessage = 1000;
const longestComponentMessage = 300;
const longestCondition = 16_000;
