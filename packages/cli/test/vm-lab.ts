/** A real API server with Terrain's machines in it, and people who may do this or that with them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crdOf, kinds, peopleRoles, type VirtualMachine, type VirtualMachineStatus, type VMDiskImage } from '@terrain/api';
import { aVirtualMachine, aVMDiskImage, type Override, override } from '@terrain/api/testing';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import { applyManifests, type KubeObject, Resource, type ResourceType } from '@terrain/runtime';
import { type Finished, Running } from './run-terrain.ts';

const ours = (plural: string): ResourceType => ({ group: 'pelotech.ot', version: 'v1alpha1', plural, namespaced: true });
const rbac = 'rbac.authorization.k8s.io';

/** The roles of one person in the namespace of the lab. */
export type Role = 'terrain-admin' | 'terrain-viewer' | 'none';

export class Lab implements Disposable {
  readonly cluster: TestCluster;
  readonly namespace: string;
  readonly machines: Resource<VirtualMachine>;
  readonly images: Resource<VMDiskImage>;
  readonly #directory = mkdtempSync(join(tmpdir(), 'terrain-vm-'));

  private constructor(cluster: TestCluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.machines = new Resource(cluster.connection(), ours('virtualmachines'));
    this.images = new Resource(cluster.connection(), ours('vmdiskimages'));
  }

  /** A namespace of its own; on the cluster of this process, where nobody acts on machines, unless another one is given. */
  static async open(given?: TestCluster): Promise<Lab> {
    const cluster = given ?? (await testCluster());
    const objects = [...kinds.map(crdOf), ...peopleRoles()] as unknown as KubeObject[];
    await applyManifests(cluster.connection(), objects, { fieldManager: 'test' });
    return new Lab(cluster, await cluster.namespace('lab'));
  }

  /** A machine and, as the operator would write it, its status. */
  async add(name: string, change: Override<VirtualMachine> = {}): Promise<VirtualMachine> {
    const { status, ...machine } = override(
      aVirtualMachine({
        metadata: { name, namespace: this.namespace },
        spec: { vmDiskImageRef: { name: 'debian', namespace: '' } },
      }),
      change,
    );
    const created = await this.machines.create(machine);
    return status === undefined ? created : this.report(name, status);
  }

  async addImage(status: VMDiskImage['status']): Promise<void> {
    const at = { name: 'debian', namespace: this.namespace };
    await this.images.create(aVMDiskImage({ metadata: at }));
    await this.images.mergePatch({ ...at, subresource: 'status' }, { status });
  }

  report(name: string, status: VirtualMachineStatus): Promise<VirtualMachine> {
    return this.machines.mergePatch({ name, namespace: this.namespace, subresource: 'status' }, { status });
  }

  get(name: string): Promise<VirtualMachine> {
    return this.machines.get({ name, namespace: this.namespace });
  }

  /** `terrain vm ... -n NAMESPACE`, by the administrator. */
  start(...args: string[]): Running {
    return new Running(['vm', ...args, '-n', this.namespace, '--kubeconfig', this.cluster.kubeconfig]);
  }

  run(...args: string[]): Promise<Finished> {
    return this.start(...args).finished;
  }

  /** The same by somebody who has just this role here. */
  async runAs(role: Role, ...args: string[]): Promise<Finished> {
    const user = `person-${randomBytes(4).toString('hex')}`;
    if (role !== 'none') await this.#grant(user, role);
    return new Running(['vm', ...args, '-n', this.namespace, '--kubeconfig', this.#kubeconfigOf(user)]).finished;
  }

  async #grant(user: string, role: Role): Promise<void> {
    const binding = {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: user, namespace: this.namespace },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
    };
    await applyManifests(this.cluster.connection(), [binding as KubeObject], { fieldManager: 'test' });
  }

  #kubeconfigOf(user: string): string {
    const { server, ca = '', cert = '', key = '' } = this.cluster.credentialsOf(user);
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const file = join(this.#directory, user);
    const content = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user } }],
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': base64(ca) } }],
      users: [{ name: user, user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } }],
    };
    writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
    return file;
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true });
  }
}
