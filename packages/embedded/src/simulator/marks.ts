/** On everything the simulator makes, so that nobody takes it for real. */
export const simulatedLabel = 'terrain.dev/simulated';
export const simulatedLabels: Readonly<Record<string, string>> = { [simulatedLabel]: 'true' };

/** What the simulator notes on objects; all it knows after a restart is what it finds there. */
export const notes = {
  /** Switches, see scenario/switches.ts. People may set it; the simulator copies an image's switches to its claim. */
  switches: 'terrain.dev/sim',
  /** When a timeline began, in milliseconds since 1970: the API's own timestamps have whole seconds. */
  since: 'terrain.dev/sim-since',
  /** The last step of that timeline that was shown. */
  step: 'terrain.dev/sim-step',
  /** When an import was complete. */
  doneAt: 'terrain.dev/sim-done',
  /** On a claim whose importer waits for a Secret or ConfigMap. */
  blocked: 'terrain.dev/sim-blocked',
  /** When a machine was told to stop. */
  stoppingAt: 'terrain.dev/sim-stopping',
  /** Which of an import's pods this is, counted from 1. */
  ordinal: 'terrain.dev/sim-ordinal',
  /** Name of the DataVolume a pod imports for. */
  dataVolume: 'terrain.dev/sim-datavolume',
  /** On an instance whose start is to fail; decided once, when it begins. */
  startFails: 'terrain.dev/sim-start-fails',
  /** Hash of the template a machine was started from, and of its memory alone. */
  template: 'terrain.dev/sim-template',
  memory: 'terrain.dev/sim-memory',
  /** On an object that is not meant: the words it is to be refused with, by whoever knows them. */
  probe: 'terrain.dev/sim-probe',
} as const;

/** Holds a pod that was told to stop until its container would have ended, as a kubelet does. */
export const podFinalizer = 'terrain.dev/simulated-kubelet';

export const managerName = 'terrain-simulator';
