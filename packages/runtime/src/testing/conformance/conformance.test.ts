import { after, before, describe, test } from 'node:test';
import { Connection } from '#transport/connection.ts';
import { ApiFake } from '../api-fake/api-fake.ts';
import { hurriedClock } from '../hurried-clock.ts';
import type { ConformanceTarget } from './sandbox.ts';
import { conformanceCases, prepareConformance, runCase } from './suite.ts';

/** The cases wait for seconds where the real server does; nothing is gained by waiting as long here. */
const hurried = hurriedClock(50);

describe('the API fake conforms', () => {
  let fake: ApiFake;
  let target: ConformanceTarget;

  before(async () => {
    fake = await ApiFake.start({ clock: hurried });
    target = { connection: new Connection(fake.credentials), compact: async () => fake.compact() };
    await prepareConformance(target);
  });
  after(async () => {
    await target.connection.close();
    await fake.close();
  });

  for (const [topic, cases] of Object.entries(conformanceCases)) {
    for (const [sentence, run] of Object.entries(cases)) test(`${topic}: ${sentence}`, () => runCase(target, run));
  }
});
