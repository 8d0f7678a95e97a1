import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { claimRefusal, judgeClaim, reviewAnswer } from './claim-review.ts';

const dataVolume = (annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'disk', namespace: 'lab', annotations },
});

const claim = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'disk', namespace: 'lab', ...metadata },
});

const owner = (kind: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind, name: 'disk', uid: 'u' }] });
const refused = 'Destination PVC lab/disk already exists';

test('a DataVolume is refused beside a claim of its name that is not of CDI', () => {
  assert.equal(claimRefusal(dataVolume(), undefined), undefined);
  assert.equal(claimRefusal(dataVolume(), claim()), refused);
  assert.equal(claimRefusal(dataVolume(), claim(owner('StatefulSet'))), refused);
  assert.equal(claimRefusal(dataVolume(), claim(owner('DataVolume'))), undefined);
  assert.equal(claimRefusal(dataVolume(), claim({ labels: { 'terrain.dev/simulated': 'true' } })), undefined);
});

test('it may take the claim up where it says so', () => {
  const annotation = 'cdi.kubevirt.io/allowClaimAdoption';
  assert.equal(claimRefusal(dataVolume({ [annotation]: 'true' }), claim()), undefined);
  assert.equal(claimRefusal(dataVolume({ [annotation]: 'false' }), claim()), refused);
});

test('a refusal is told with the code that CDI gives', () => {
  assert.deepEqual(reviewAnswer('7', undefined), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: '7', allowed: true },
  });
  assert.deepEqual((reviewAnswer('7', refused) as { response: object }).response, {
    uid: '7',
    allowed: false,
    status: { status: 'Failure', code: 422, reason: 'Invalid', message: refused },
  });
});

test('a claim that cannot be read keeps nobody from creating a DataVolume, and somebody is told', async () => {
  const asked = { uid: '7', namespace: 'lab', object: dataVolume() };
  const told: string[] = [];
  const judge = (find: () => Promise<KubeObject | undefined>) => judgeClaim(asked, find, (sentence) => told.push(sentence));
  assert.equal(await judge(async () => claim()), refused);
  assert.equal(await judge(async () => undefined), undefined);
  assert.deepEqual(told, []);
  assert.equal(await judge(() => Promise.reject(new Error('no answer within 30 s'))), undefined);
  assert.deepEqual(told, [
    'DataVolume lab/disk is created whether or not somebody else has a claim of that name, which cannot be read: no answer within 30 s',
  ]);
});
