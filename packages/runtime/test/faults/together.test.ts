/** Suites that mostly wait, all at once: for events, pauses, restarts, and a minute in which nothing may happen. */
import { describe } from 'node:test';
import { idleSuite } from './idle-suite.ts';
import { restartSuite } from './restart-suite.ts';
import { staleSuite } from './stale-suite.ts';
import { watchSuite } from './watch-suite.ts';

describe('faults of the world around a controller', { concurrency: true }, () => {
  idleSuite();
  watchSuite();
  staleSuite();
  restartSuite();
});
