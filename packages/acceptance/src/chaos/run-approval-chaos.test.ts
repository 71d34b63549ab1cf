import { expect, test } from '@jest/globals';
import { runApprovalChaos } from './run-approval-chaos.js';

test('posts and refunds that are decided, edited, cancelled and expire at once, while processes are killed: each is decided once, and only what a person approved is published or refunded', async () => {
  const outcome = await runApprovalChaos({
    name: 'approval_chaos',
    seed: 9,
    subjects: 30,
    processes: 2,
    killEveryMs: 1000,
    killsMax: 2,
    subjectsAtOnce: 10,
    skipsWaiting: true,
    log: () => undefined,
  });
  expect(outcome.broken).toEqual([]);
  expect(outcome.approvals).toMatchObject({
    approved: expect.any(Number),
    rejected: expect.any(Number),
    expired: expect.any(Number),
    withdrawn: expect.any(Number),
  });
  expect(outcome.effects).toMatchObject({ dlv: expect.any(Number), rfd: expect.any(Number) });
});
