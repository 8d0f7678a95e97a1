import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from '#binary/ensure.ts';
import { Authority, type Subject } from '#certificate/authority.ts';
import { kubeconfigText } from '#control-plane/kubeconfig.ts';
import { writePrivate } from '#control-plane/pki.ts';
import { freePort } from '#process/port.ts';
import { cniFiles } from './config/cni.ts';
import { containerdConfig } from './config/containerd.ts';
import { corefile } from './config/coredns.ts';
import { kubeProxyConfig } from './config/kube-proxy.ts';
import { kubeletConfig, resolvConf } from './config/kubelet.ts';
import type { NodeLayout } from './layout.ts';
import { nodeNetwork } from './network.ts';
import { cniPluginDirectory } from './packages.ts';
import { nodeUsers } from './rights.ts';

/** Writes everything the programs of a node read: configuration, certificates, kubeconfig files, the directory of network plugins. */
export async function prepareNode(layout: NodeLayout, binaries: Binaries, server: string): Promise<void> {
  const directories = [layout.kubelet, layout.podLogs, layout.images, layout.containerdRoot, ...Object.values(layout.cni)];
  for (const directory of directories) await mkdir(directory, { recursive: true, mode: 0o700 });
  const files: Readonly<Record<string, string>> = {
    'containerd.toml': containerdConfig(layout),
    'kubelet.yaml': kubeletConfig(layout),
    'kube-proxy.yaml': kubeProxyConfig(layout, await freePort()),
    Corefile: corefile(layout),
    'resolv.conf': resolvConf(await readFile('/etc/resolv.conf', 'utf8').catch(() => '')),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(layout.directory, name), text);
  for (const [name, text] of Object.entries(cniFiles(layout))) await writeFile(join(layout.cni.config, name), text);
  await linkPlugins(layout.cni.plugins, binaries);
  await writeCredentials(layout, server);
}

/** Debian's plugins, with ours in front of the one for bridges, and Multus. */
async function linkPlugins(directory: string, binaries: Binaries): Promise<void> {
  const targets = new Map((await readdir(cniPluginDirectory)).map((name) => [name, join(cniPluginDirectory, name)]));
  targets.set('bridge', binaries.path('cni-bridge'));
  targets.set('multus', binaries.path('multus'));
  for (const [name, target] of targets) {
    await rm(join(directory, name), { force: true });
    await symlink(target, join(directory, name));
  }
}

/** Anew at each start, so they never expire. */
async function writeCredentials(layout: NodeLayout, server: string): Promise<void> {
  const [cert, key] = await Promise.all(['ca.crt', 'ca.key'].map((name) => readFile(join(layout.pki, name), 'utf8')));
  const authority = Authority.load({ cert: cert!, key: key! });
  const now = new Date();
  const node: Subject = { commonName: `system:node:${layout.name}`, organizations: ['system:nodes'] };
  const names = [layout.name, nodeNetwork.address];
  const serving = authority.issue(node, { usage: 'server', names }, now);
  await writePrivate(join(layout.pki, 'kubelet.crt'), serving.cert);
  await writePrivate(join(layout.pki, 'kubelet.key'), serving.key);
  const users = Object.entries(nodeUsers).map(([program, commonName]): [string, Subject] => [program, { commonName }]);
  for (const [program, subject] of [['kubelet', node] as const, ...users]) {
    const client = authority.issue(subject, { usage: 'client' }, now);
    const text = kubeconfigText({ server, ca: authority.pair.cert, ...client }, 'terrain');
    await writePrivate(join(layout.pki, `${program}.kubeconfig`), text);
  }
}
