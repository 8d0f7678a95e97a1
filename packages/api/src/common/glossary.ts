/** What a condition tells when it is True, and what its absence of truth means. */
export type ConditionDoc = { readonly name: string; readonly description: string };

/** What a reason means, and what a person does about it. */
export type ReasonDoc = { readonly name: string; readonly description: string; readonly whatToDo: string };

type Names<Table> = { readonly [Name in keyof Table & string]: Name };

/** Turns a table of documented words into constants: `{ Ready: {...} }` becomes `{ Ready: 'Ready' }`. */
export function namesOf<const Table extends Record<string, unknown>>(table: Table): Names<Table> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, name])) as Names<Table>;
}

/** The table as a list, in the order it was written. */
export function entriesOf<Doc>(table: Readonly<Record<string, Doc>>): readonly (Doc & { readonly name: string })[] {
  return Object.entries(table).map(([name, doc]) => ({ name, ...doc }));
}

/** The three conditions generic tools (kstatus, Argo CD, Flux) read on every kind. */
export const commonConditions = {
  Reconciling: {
    description:
      'True while the operator is still working towards what the spec asks for. False once there is nothing left to do, or nothing the operator can do.',
  },
  Stalled: {
    description:
      'True when the operator cannot go on until a person changes something; the reason and the message say what. False while it works or waits for something that may pass.',
  },
} as const;

/** Reasons every kind uses. */
export const commonReasons = {
  NotSeenYet: {
    description:
      'The operator has not said anything about the object yet. The API server shows this by itself, also where no operator runs.',
    whatToDo: 'Nothing for a minute; then see that the operator runs.',
  },
  UpToDate: {
    description: 'Nothing is left to do: what the spec asks for is there.',
    whatToDo: 'Nothing.',
  },
  Progressing: {
    description: 'The operator is working, or waits for something that is under way.',
    whatToDo: 'Nothing; the message says what is being waited for.',
  },
  Paused: {
    description: 'The annotation pelotech.ot/paused is "true": nothing is changed, created or deleted for this object.',
    whatToDo: 'Remove the annotation to let the operator go on.',
  },
  Deleting: {
    description: 'The object is being deleted, and what it made is being removed first.',
    whatToDo: 'Nothing, unless it takes more than a minute: then the message names the object and the finalizer that block.',
  },
  PlatformMissing: {
    description:
      'A part of the platform is not installed in this cluster: the API of CDI, KubeVirt, volume snapshots or network attachments is absent.',
    whatToDo: 'Install the part the message names. The operator notices by itself; no restart is needed.',
  },
  RefusedByPlatform: {
    description: 'The API server or an admission webhook of the platform refused an object the operator has to create.',
    whatToDo: 'Read the refusal quoted in the message; change the field it complains about, or the policy that refused.',
  },
} as const;
