import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '@switchboard/bootstrap';
import { runChaos } from './run-chaos.js';

test('forty posts with every fault, two workers that are killed and a database that crashes: no duplicate, no loss', async () => {
  const stateDir = path.join(root, '.switchboard/chaos-test');
  await mkdir(stateDir, { recursive: true });
  const outcome = await runChaos({
    seed: 22,
    posts: 40,
    perSecond: 20,
    workers: 2,
    stateDir,
    log: () => undefined,
    killEveryMs: 3000,
    chaosMs: 10_000,
    databaseRestarts: 1,
    pauses: false,
    waitSecondsMax: 6,
  });
  expect(outcome.broken).toEqual([]);
  expect(outcome.kills).toBeGreaterThan(0);
  expect(outcome.statuses['needs_review']).toBeGreaterThan(0);
  expect(outcome.effects).toBeGreaterThan(30);
});
