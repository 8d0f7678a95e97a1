/** What users write: the six kinds as types, CRDs, conditions, reasons and names. Pure, and imports nothing of ours. */
export { type Address, type Prefix, parseAddress, parsePrefix } from './address/address.ts';
export { bounds } from './common/bounds.ts';
export type { Condition } from './common/condition.ts';
export { parseDurationMs } from './common/duration.ts';
export type { Quantity } from './common/field.ts';
export type { ConditionDoc, ReasonDoc } from './common/glossary.ts';
export {
  annotations,
  apiVersionName,
  category,
  finalizers,
  labels,
  managerName,
  pelotechApiVersion,
  pelotechGroup,
  workshopApiVersion,
  workshopGroup,
} from './common/keys.ts';
export type { CustomResource, ObjectMeta, OwnerReference } from './common/metadata.ts';
export { parseQuantityBytes } from './common/quantity.ts';
export type { Rule } from './common/rule.ts';
export { isUnseen, unseenStatus } from './common/unseen.ts';
export { type CustomResourceDefinition, crdOf } from './crd/crd.ts';
export { withDefaults } from './crd/defaults.ts';
export { type StructuralSchema, toStructural } from './crd/structural.ts';
export { DataSyncCondition, DataSyncReason } from './datasync/conditions.ts';
export { dataSyncKind } from './datasync/kind.ts';
export type { DataSync, DataSyncSpec, DataSyncStatus, DataSyncVM } from './datasync/schema.ts';
export type { KindDefinition, PrinterColumn } from './kind.ts';
export { kinds } from './kinds.ts';
export { type EntryState, formatEntry, type LedgerEntry, parseEntry } from './ledger/entry.ts';
export { defaultImageNamespace, ledgerName, ledgerSchema, maxLimit, syncPolicyName } from './ledger/layout.ts';
export { formatLedger, type Ledger, type LedgerReading, parseLedger } from './ledger/ledger.ts';
export { emptyLedger, type LedgerConfigMap, ledgerManifest } from './ledger/manifest.ts';
export {
  bridgeName,
  macAddress,
  overlayNetworkName,
  shortUid,
} from './naming/identity.ts';
export { dataSyncImageName, dataVolumeName, type ImageAttempt, volumeSnapshotName } from './naming/image.ts';
export {
  instanceClusterName,
  instanceHomeClaimName,
  instanceKubeconfigSecretName,
  instanceWorkloadName,
  instanceWorkspaceName,
  sharedClusterNamespace,
} from './naming/instance.ts';
export { childName, isDnsLabel, labelValue, maxLabelLength, toLabel, toObjectName } from './naming/label.ts';
export { cloudInitSecretName, guestHostname, kubevirtMachineName, rootDiskName } from './naming/machine.ts';
export {
  clusterDeploymentName,
  clusterServiceName,
  containerNetworkName,
  deployJobName,
  deployKeySecretName,
  deployPlanSecretName,
  isolationPolicyName,
  maxWorkspaceNameLength,
  passwordSecretName,
  pullSecretName,
  volumeClaimName,
  volumeSeedJobName,
  workspaceNamespace,
} from './naming/workspace.ts';
export { admissionPolicies, type PolicyPair, policyDefinitions } from './policy/all.ts';
export { type InstallOptions, operatorServiceAccount, resolveInstall } from './policy/install.ts';
export { canonicalQuantity, quantityInNanos } from './quantity/quantity.ts';
export { type OperatorIdentity, operatorIdentity } from './rbac/operator-identity.ts';
export { type OperatorRole, operatorRole } from './rbac/operator-role.ts';
export { type ClusterRole, peopleRoles } from './rbac/roles.ts';
export { type Source, sourceHash } from './sourcehash/source-hash.ts';
export { judgeTopology } from './topology/judge.ts';
export { type Topology, topologyOf } from './topology/model.ts';
export type { TopologyOptions } from './topology/network-rules.ts';
export type { TopologyProblem } from './topology/problem.ts';
export { drawSvg } from './topology/svg-drawing.ts';
export { drawText } from './topology/text-drawing.ts';
export type { Problem } from './validate/problem.ts';
export { validateManifest } from './validate/validate.ts';
export { VirtualMachineCondition, VirtualMachineReason } from './virtualmachine/conditions.ts';
export { virtualMachineKind } from './virtualmachine/kind.ts';
export type { VirtualMachine, VirtualMachineSpec, VirtualMachineStatus, VirtualMachineUser } from './virtualmachine/schema.ts';
export { VMDiskImageCondition, VMDiskImageReason } from './vmdiskimage/conditions.ts';
export { vmDiskImageKind } from './vmdiskimage/kind.ts';
export type { VMDiskImage, VMDiskImageSpec, VMDiskImageStatus } from './vmdiskimage/schema.ts';
export { WorkspaceCondition, WorkspaceReason } from './workspace/conditions.ts';
export { allowedCapabilities } from './workspace/container.ts';
export { workspaceKind } from './workspace/kind.ts';
export type {
  Workspace,
  WorkspaceContainerCluster,
  WorkspaceNetwork,
  WorkspaceSpec,
  WorkspaceStatus,
  WorkspaceVM,
  WorkspaceVolume,
} from './workspace/schema.ts';
export { WorkspaceInstanceCondition, WorkspaceInstanceReason } from './workspaceinstance/conditions.ts';
export { workspaceInstanceKind } from './workspaceinstance/kind.ts';
export type { WorkspaceInstance, WorkspaceInstanceSpec, WorkspaceInstanceStatus } from './workspaceinstance/schema.ts';
export { WorkspaceTemplateCondition, WorkspaceTemplateReason } from './workspacetemplate/conditions.ts';
export { defaultOverridablePaths, overridablePaths } from './workspacetemplate/defaults.ts';
export { workspaceTemplateKind } from './workspacetemplate/kind.ts';
export type {
  InstanceSettings,
  WorkspaceTemplate,
  WorkspaceTemplateSpec,
  WorkspaceTemplateStatus,
  WorkspaceTemplateStep,
} from './workspacetemplate/schema.ts';
