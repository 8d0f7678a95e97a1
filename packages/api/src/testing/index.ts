/** Objects for tests of this and other packages. */
export { type InvalidLab, invalidLabs } from '#topology/case/invalid-labs.ts';
export { exampleLab, labClusterRanges } from '#topology/lab.example.ts';
export {
  aDataSync,
  aVirtualMachine,
  aVMDiskImage,
  aWorkspace,
  aWorkspaceInstance,
  aWorkspaceTemplate,
  type StoredMeta,
  stored,
  uidOf,
} from './builders.ts';
export { installation } from './installation.ts';
export { largest } from './largest.ts';
export { type Override, override } from './override.ts';
