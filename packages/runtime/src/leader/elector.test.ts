import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '#log/logger.ts';
import { ApiFake, FakeClock } from '#testing/index.ts';
import { ApiError } from '#transport/api-error.ts';
import type { ApiRequest, ApiTransport } from '#transport/api-transport.ts';
import { Connection } from '#transport/connection.ts';
import { Elector, type ElectorOptions } from './elector.ts';
import { fenceWrites } from './fence.ts';
import { type Lease, leases } from './lease.ts';

/** The clock stands still while requests are on the wire: a turn is one step of time and all that follows from it. */
async function rig(t: TestContext) {
  const fake = await ApiFake.start();
  fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'sys' } });
  const connection = new Connection(fake.credentials);
  t.after(async () => {
    await connection.close();
    await fake.close();
  });
  const clock = new FakeClock();
  let underWay = 0;
  let isDown = false;
  const api: ApiTransport = {
    async request<T>(request: ApiRequest): Promise<T> {
      if (isDown) throw new Error('connection refused');
      underWay++;
      try {
        return await connection.request<T>(request);
      } finally {
        underWay--;
      }
    },
    exchange: (request) => connection.exchange(request),
    stream: (request) => connection.stream(request),
    streamBatches: (request) => connection.streamBatches(request),
  };
  const settle = async (): Promise<void> => {
    do await new Promise((resolve) => setImmediate(resolve));
    while (underWay > 0);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const advance = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 500) {
      await settle();
      await clock.advance(Math.min(500, left));
    }
    await settle();
  };
  const elector = (identity: string, more: Partial<ElectorOptions> = {}): Elector =>
    new Elector({ api, clock, log: silentLogger, namespace: 'sys', name: 'op', identity, random: () => 0, ...more });
  const lease = (): Lease['spec'] => (fake.objects(leases)[0] as Lease | undefined)?.spec;
  const cut = (down: boolean): void => {
    isDown = down;
  };
  return { fake, clock, elector, advance, settle, lease, cut, api };
}

/** Campaigns in the background and tells how it went. */
function campaign(elector: Elector, stop = new AbortController()) {
  const state = { leads: false, ended: undefined as string | undefined, stop };
  const running = (async () => {
    await elector.acquire(stop.signal);
    state.leads = true;
    await elector.hold(stop.signal);
    await elector.release();
    state.ended = 'released';
  })().catch((error: Error) => {
    state.ended = `${error.name}: ${error.message}`;
  });
  return Object.assign(state, { running });
}

test('the first candidate creates the lease and renews it; the second waits', async (t) => {
  const { clock, elector, advance, settle, lease } = await rig(t);
  const first = campaign(elector('one'));
  await settle();
  const second = campaign(elector('two'));
  await advance(60_000);
  assert.deepEqual([first.leads, second.leads], [true, false]);
  assert.equal(lease()?.holderIdentity, 'one');
  assert.equal(lease()?.leaseDurationSeconds, 15);
  assert.equal(lease()?.leaseTransitions, 0);
  const age = clock.now() - Date.parse(lease()?.renewTime ?? '');
  assert.ok(age <= 2500, `renewed ${age} ms ago`);
  assert.match(lease()?.renewTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  first.stop.abort();
  second.stop.abort();
  await Promise.all([first.running, second.running]);
});

test('a leader that stops gives the lease back, and the next one has it within one look', async (t) => {
  const { elector, advance, settle, lease } = await rig(t);
  const first = campaign(elector('one'));
  await settle();
  const second = campaign(elector('two'));
  await advance(5000);
  first.stop.abort();
  await settle();
  assert.equal(first.ended, 'released');
  assert.equal(lease()?.holderIdentity, '');
  await advance(2500);
  assert.equal(second.leads, true);
  assert.equal(lease()?.leaseTransitions, 1);
  second.stop.abort();
  await second.running;
});

/** A PUT is carried out, and while `isHeld` its answer never comes: only the signal ends the wait for it. */
function withHeldAnswers(api: ApiTransport, isHeld: () => boolean, carriedOut: () => void): ApiTransport {
  return {
    ...api,
    async request<T>(request: ApiRequest): Promise<T> {
      const answer = await api.request<T>(request);
      if (request.method !== 'PUT' || !isHeld()) return answer;
      return new Promise<never>((_, reject) => {
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason), { once: true });
        carriedOut();
      });
    },
  };
}

for (const [name, { usurper, want }] of Object.entries({
  'is given back all the same': { usurper: undefined, want: '' },
  'is left to who has it by then': { usurper: 'two', want: 'two' },
}))
  test(`a lease whose renewal was carried out, and cut off by the stop before its answer, ${name}`, async (t) => {
    const { fake, elector, advance, settle, lease, api } = await rig(t);
    let isHeld = false;
    const stored = Promise.withResolvers<void>();
    const candidate = elector('one', { api: withHeldAnswers(api, () => isHeld, stored.resolve) });
    const first = campaign(candidate);
    await settle();
    isHeld = true;
    await advance(2500);
    await stored.promise;
    isHeld = false;
    if (usurper !== undefined) {
      const [held] = fake.objects(leases) as Lease[];
      const path = '/apis/coordination.k8s.io/v1/namespaces/sys/leases/op';
      await api.request({ method: 'PUT', path, body: { ...held, spec: { ...held?.spec, holderIdentity: usurper } } });
    }
    first.stop.abort();
    await first.running;
    assert.equal(first.ended, 'released');
    assert.equal(lease()?.holderIdentity, want);
    assert.equal(candidate.isLeading, false);
  });

test('a leader that vanished is followed after its lease has run out, not before', async (t) => {
  const { elector, advance, settle, lease } = await rig(t);
  const gone = elector('gone');
  await gone.acquire(new AbortController().signal);
  const next = campaign(elector('next'));
  await settle();
  await advance(14_500);
  assert.equal(next.leads, false);
  await advance(4000);
  assert.equal(next.leads, true);
  assert.equal(lease()?.holderIdentity, 'next');
  next.stop.abort();
  await next.running;
});

test('a leader that cannot renew stops before anybody else begins', async (t) => {
  const { elector, advance, settle, cut } = await rig(t);
  const candidate = elector('one');
  const first = campaign(candidate);
  await settle();
  await advance(4000);
  assert.equal(candidate.isLeading, true);
  cut(true);
  await advance(9000);
  assert.equal(first.ended, undefined);
  await advance(3000);
  assert.equal(candidate.isLeading, false);
  assert.equal(first.ended, 'LeadershipLostError: the lease was not renewed for 10 s');
});

test('a short outage is survived', async (t) => {
  const { elector, advance, settle, cut } = await rig(t);
  const first = campaign(elector('one'));
  await settle();
  cut(true);
  await advance(7000);
  cut(false);
  await advance(20_000);
  assert.equal(first.ended, undefined);
  first.stop.abort();
  await first.running;
});

test('a leader that finds somebody else in the lease stops at once', async (t) => {
  const { fake, elector, advance, settle } = await rig(t);
  const candidate = elector('one');
  const first = campaign(candidate);
  await settle();
  const [stored] = fake.objects(leases) as Lease[];
  await using connection = new Connection(fake.credentials);
  await connection.request({
    method: 'PUT',
    path: '/apis/coordination.k8s.io/v1/namespaces/sys/leases/op',
    body: { ...stored, spec: { ...stored?.spec, holderIdentity: 'usurper' } },
  });
  await advance(2500);
  assert.equal(first.ended, 'LeadershipLostError: the lease is held by usurper now');
  assert.equal(candidate.isLeading, false);
});

test('a renewal whose answer is lost is no loss of the lease', async (t) => {
  const { fake, clock, advance, settle, elector, api } = await rig(t);
  let drop = false;
  const lossy: ApiTransport = {
    ...api,
    async request<T>(request: ApiRequest): Promise<T> {
      const answer = await api.request<T>(request);
      if (drop && request.method === 'PUT') {
        drop = false;
        throw new Error('socket hang up');
      }
      return answer;
    },
  };
  const candidate = elector('one', { api: lossy });
  const first = campaign(candidate);
  await settle();
  drop = true;
  await advance(30_000);
  assert.equal(first.ended, undefined);
  assert.equal(candidate.isLeading, true);
  assert.ok(clock.now() - Date.parse((fake.objects(leases)[0] as Lease).spec?.renewTime ?? '') <= 2500);
  first.stop.abort();
  await first.running;
});

for (const isCarriedOut of [false, true]) {
  const what = isCarriedOut ? 'is carried out and never answered' : 'never arrives';
  test(`a renewal that ${what}, as on a socket whose other end is gone, is tried again in time`, async (t) => {
    const { clock, advance, settle, elector, api } = await rig(t);
    let hangs = 0;
    const hanging: ApiTransport = {
      ...api,
      async request<T>(request: ApiRequest): Promise<T> {
        if (request.method !== 'PUT' || hangs === 0) return api.request<T>(request);
        hangs--;
        if (isCarriedOut) await api.request<T>(request);
        await clock.sleep(request.timeoutMs ?? Number.POSITIVE_INFINITY, request.signal);
        throw new Error('no answer');
      },
    };
    const candidate = elector('one', { api: hanging });
    const first = campaign(candidate);
    await settle();
    await advance(4000);
    hangs = 1;
    for (let second = 0; second < 30; second++) {
      await advance(1000);
      assert.deepEqual([first.ended, candidate.isLeading], [undefined, true], `after ${second + 1} s`);
    }
    first.stop.abort();
    await first.running;
  });
}

test('every request for the lease ends before the leadership does', async (t) => {
  const { fake, clock, advance, settle, elector, api } = await rig(t);
  const late: string[] = [];
  let renewedAt = 0;
  let isForgetful = false;
  const timed: ApiTransport = {
    ...api,
    async request<T>(request: ApiRequest): Promise<T> {
      const endsAt = clock.monotonic() + (request.timeoutMs ?? Number.POSITIVE_INFINITY);
      if (endsAt > renewedAt + 10_000) late.push(`${request.method} until ${endsAt - renewedAt} ms after the last renewal`);
      if (isForgetful && request.method === 'PUT') throw new ApiError(404, { reason: 'NotFound', code: 404 }, 'PUT /');
      if (isForgetful && request.method === 'POST') throw new Error('connection refused');
      const sentAt = clock.monotonic();
      const answer = await api.request<T>(request);
      if (request.method !== 'GET') renewedAt = sentAt;
      return answer;
    },
  };
  const first = campaign(elector('one', { api: timed }));
  await settle();
  await advance(4000);
  isForgetful = true;
  await advance(12_000);
  assert.equal(first.ended, 'LeadershipLostError: the lease was not renewed for 10 s');
  assert.equal(fake.objects(leases).length, 1);
  assert.deepEqual(late, []);
});

test('jumps of the wall clock change nothing, whoever jumps', async (t) => {
  const { clock, elector, advance, settle } = await rig(t);
  const first = campaign(elector('one'));
  await settle();
  const second = campaign(elector('two'));
  for (const ms of [3_600_000, -7_200_000, 365 * 86_400_000]) {
    clock.shiftWall(ms);
    await advance(20_000);
    assert.deepEqual([first.leads, first.ended, second.leads], [true, undefined, false]);
  }
  first.stop.abort();
  second.stop.abort();
  await Promise.all([first.running, second.running]);
});

test('a process that was stopped sends no write when it wakes, even before its timers fire', async (t) => {
  const { clock, elector, settle, api, fake } = await rig(t);
  const candidate = elector('one');
  await candidate.acquire(new AbortController().signal);
  await settle();
  const fenced = fenceWrites(api, () => candidate.isLeading);
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
  await fenced.request({ method: 'POST', path: '/api/v1/namespaces/default/configmaps', body });
  await clock.advance(10_000);
  await assert.rejects(fenced.request({ method: 'POST', path: '/api/v1/namespaces/default/configmaps', body }), {
    name: 'LeadershipLostError',
    message: 'POST /api/v1/namespaces/default/configmaps was not sent: this process does not lead',
  });
  assert.equal(fake.log.count({ verb: 'create', resource: 'configmaps' }), 1);
  await fenced.request({ method: 'GET', path: '/api/v1/namespaces/default/configmaps' });
});

test('times that cannot work are refused with their values', async (t) => {
  const { elector } = await rig(t);
  assert.throws(() => elector('one', { renewDeadlineMs: 20_000 }), /got 2000, 20000, 15000/);
});
