import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { Strangers, strangersIn } from './strangers.ts';

const object = (kind: string, spec: unknown): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'x' }, spec }) as KubeObject;

const port = { name: 'tcp-80', port: 80, targetPort: 8080, protocol: 'TCP' };
const container = { name: 'web', image: 'web:1', resources: { limits: { memory: '2048Mi' } }, env: [{ name: 'A', value: '1' }] };
const pod = (spec: object): object => ({ template: { spec } });
const inside = [{ from: [{ podSelector: {} }] }];

const cases: Record<string, { kind: string; desired: object; actual: object; want: string[] }> = {
  'what the server adds is none': {
    kind: 'Service',
    desired: { ports: [port], selector: { app: 'x' } },
    actual: {
      ports: [{ ...port, appProtocol: 'http' }],
      selector: { app: 'x' },
      clusterIP: '10.96.0.9',
      clusterIPs: ['10.96.0.9'],
    },
    want: [],
  },
  'ports of a Service, the last first': {
    kind: 'Service',
    desired: { ports: [port] },
    actual: { ports: [{ ...port, name: 'a', port: 1 }, port, { ...port, name: 'b', port: 2 }] },
    want: ['/spec/ports/2', '/spec/ports/0'],
  },
  'a label that leads a Service elsewhere': {
    kind: 'Service',
    desired: { selector: { 'pelotech.ot/workspace': 'x' } },
    actual: { selector: { 'pelotech.ot/workspace': 'x', 'else/where~': 'y' } },
    want: ['/spec/selector/else~1where~0'],
  },
  'a container, though another is stored in other words': {
    kind: 'Deployment',
    desired: pod({ containers: [container] }),
    actual: pod({
      containers: [
        { ...container, resources: { limits: { memory: '2Gi' } } },
        { name: 'spy', image: 'spy:1' },
      ],
    }),
    want: ['/spec/template/spec/containers/1'],
  },
  'a container that comes first': {
    kind: 'Deployment',
    desired: pod({ containers: [container] }),
    actual: pod({ containers: [container], initContainers: [{ name: 'spy', image: 'spy:1' }] }),
    want: ['/spec/template/spec/initContainers'],
  },
  'a variable of a container': {
    kind: 'Deployment',
    desired: pod({ containers: [container] }),
    actual: pod({ containers: [{ ...container, env: [...container.env, { name: 'B', value: '2' }] }] }),
    want: ['/spec/template/spec/containers/0/env/1'],
  },
  'a mount, known by its path': {
    kind: 'Deployment',
    desired: pod({ containers: [{ name: 'web', volumeMounts: [{ name: 'data', mountPath: '/a' }] }] }),
    actual: pod({
      containers: [
        {
          name: 'web',
          volumeMounts: [
            { name: 'data', mountPath: '/b' },
            { name: 'data', mountPath: '/a' },
          ],
        },
      ],
    }),
    want: ['/spec/template/spec/containers/0/volumeMounts/0'],
  },
  'whoever narrows the isolation, or widens it': {
    kind: 'NetworkPolicy',
    desired: { podSelector: {}, ingress: inside },
    actual: { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ from: [{ podSelector: {}, namespaceSelector: {} }] }] },
    want: ['/spec/podSelector/matchLabels', '/spec/ingress/0/from/0/namespaceSelector'],
  },
  'a list that is missing something is not judged': {
    kind: 'Service',
    desired: { ports: [port, { ...port, name: 'b', port: 2 }] },
    actual: { ports: [{ ...port, name: 'c', port: 3 }] },
    want: [],
  },
  'tolerations, which nobody asks about': {
    kind: 'Deployment',
    desired: pod({ containers: [container] }),
    actual: pod({ containers: [container], tolerations: [{ operator: 'Exists' }] }),
    want: [],
  },
};

for (const [name, { kind, desired, actual, want }] of Object.entries(cases))
  test(`strangers in a child: ${name}`, () => assert.deepEqual(strangersIn(object(kind, desired), object(kind, actual)), want));

test('strangers that come back at once are left alone, others in the same child are not', () => {
  const ports = (...names: string[]): KubeObject =>
    object('Service', { ports: names.map((name, index) => ({ ...port, name, port: index })) });
  const [desired, once, twice] = [ports('a'), ports('a', 'b'), ports('a', 'b', 'c')];
  const strangers = new Strangers();
  assert.deepEqual(strangers.in(desired, once), ['/spec/ports/1']);
  strangers.removed(desired, desired);
  assert.deepEqual(strangers.in(desired, once), ['/spec/ports/1'], 'whoever put it there before may do so again');
  strangers.removed(desired, once);
  assert.deepEqual([strangers.in(desired, once), strangers.in(desired, twice)], [[], ['/spec/ports/2']]);
});
