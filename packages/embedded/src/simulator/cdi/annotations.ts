/** Annotations of CDI 1.65 (pkg/controller/common/util.go) that the simulator reads or writes. */
const prefix = 'cdi.kubevirt.io/storage.';

export const cdiAnnotations = {
  podPhase: `${prefix}pod.phase`,
  podRestarts: `${prefix}pod.restarts`,
  podSchedulable: `${prefix}pod.schedulable`,
  running: `${prefix}condition.running`,
  runningMessage: `${prefix}condition.running.message`,
  runningReason: `${prefix}condition.running.reason`,
  bound: `${prefix}condition.bound`,
  boundMessage: `${prefix}condition.bound.message`,
  boundReason: `${prefix}condition.bound.reason`,
  progress: `${prefix}populator.progress`,
  primeName: `${prefix}populator.pvcPrime`,
  fatalError: `${prefix}import.fatalError`,
  importPodName: `${prefix}import.importPodName`,
  usePopulator: `${prefix}usePopulator`,
  immediateBinding: `${prefix}bind.immediate.requested`,
  contentType: `${prefix}contentType`,
  preallocationRequested: `${prefix}preallocation.requested`,
  populatedFor: `${prefix}populatedFor`,
  retainPod: `${prefix}pod.retainAfterCompletion`,
  createdBy: `${prefix}createdByController`,
  priorityClass: `${prefix}pod.priorityclassname`,
  allowAdoption: 'cdi.kubevirt.io/allowClaimAdoption',
  createdForDataVolume: 'cdi.kubevirt.io/createdForDataVolume',
  clonePhase: 'cdi.kubevirt.io/clonePhase',
  cloneType: 'cdi.kubevirt.io/cloneType',
} as const;

/** Set by the scheduler on a claim that waits for its first consumer. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

export type Annotations = Readonly<Record<string, string>>;
