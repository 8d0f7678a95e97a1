import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { ResourceType } from '@terrain/runtime';
import { type Thing, types } from './types.ts';
import { anImage, deployments, inNamespace, isLater, lab, networkPolicies, services, WorkspaceWorld } from './workspace-world.ts';

type Spec = Readonly<Record<string, unknown>>;
type Addition = { readonly type: ResourceType; readonly name: string; readonly add: (spec: Spec) => object };

const spy = { name: 'spy', image: 'spy:1' };
const additions: Readonly<Record<string, Addition>> = {
  'a port of a Service': {
    type: services,
    name: 'web',
    add: ({ ports }) => ({ ports: [...(ports as object[]), { name: 'ssh', port: 22, targetPort: 22, protocol: 'TCP' }] }),
  },
  'a label of what a Service leads to': { type: services, name: 'web', add: () => ({ selector: { app: 'elsewhere' } }) },
  'a container': {
    type: deployments,
    name: 'web',
    add: ({ template }) => {
      const { containers } = (template as { spec: { containers: object[] } }).spec;
      return { template: { spec: { containers: [...containers, spy] } } };
    },
  },
  'a container that comes first': {
    type: deployments,
    name: 'web',
    add: () => ({ template: { spec: { initContainers: [spy] } } }),
  },
  'an exception from the isolation': {
    type: networkPolicies,
    name: 'workspace-isolation',
    add: () => ({ podSelector: { matchLabels: { isolated: 'no' } } }),
  },
  'a peer in the isolation': {
    type: networkPolicies,
    name: 'workspace-isolation',
    add: () => ({ ingress: [{ from: [{ podSelector: {}, namespaceSelector: {} }] }] }),
  },
  'a card of a machine': {
    type: types.machines,
    name: 'router',
    add: ({ interfaces }) => ({ interfaces: [...(interfaces as object[]), { network: 'other', ipAddress: '10.9.0.9/24' }] }),
  },
};

test('what others add to children is taken out again, and nothing else', async (t) => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '' } });
  await anImage(world, 'debian');
  await world.create('joined', lab);
  await world.phase('joined', 'Ready');
  for (const [what, { type, name, add }] of Object.entries(additions)) {
    await t.test(what, async () => {
      const before = world.child('joined', type, name)?.spec ?? assert.fail(`${type.plural} ${name}`);
      const patched = await world.stage
        .resource(type)
        .mergePatch(inNamespace('joined', name), { spec: add(before) } as unknown as Partial<Thing>);
      assert.notDeepEqual(patched.spec, before, 'the addition was accepted');
      await world.until(`${what} to be taken out`, () => {
        const { metadata, spec } = world.child('joined', type, name) ?? {};
        return isLater(metadata, patched.metadata) && isDeepStrictEqual(spec, before);
      });
    });
  }
  const kept = { annotations: { note: 'kept' }, labels: { colour: 'blue' } };
  const addition = { metadata: kept, spec: { selector: { app: 'elsewhere' } } } as unknown as Partial<Thing>;
  const patched = await world.stage.resource(services).mergePatch(inNamespace('joined', 'web'), addition);
  await world.until('the Service to be right, with what is nobody’s business kept', () => {
    const { metadata, spec } = world.child('joined', services, 'web') ?? {};
    const { selector } = (spec ?? {}) as { selector?: Spec };
    return (
      isLater(metadata, patched.metadata) &&
      selector?.app === undefined &&
      metadata?.annotations?.note === 'kept' &&
      metadata.labels?.colour === 'blue'
    );
  });
  await world.phase('joined', 'Ready');
});
