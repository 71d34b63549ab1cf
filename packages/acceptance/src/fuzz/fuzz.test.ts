import { expect, test } from '@jest/globals';
import { testDatabase } from '@switchboard/persistence/testing';
import { runFuzz } from './run-fuzz.js';

test('generated requests get documented responses (R30); pnpm test:fuzz sends 20,000', async () => {
  const report = await runFuzz({
    seed: 30,
    requests: 275,
    databaseUrl: await testDatabase('fuzz'),
    log: () => undefined,
  });
  expect(report.findings).toEqual([]);
  const answered = [...report.coverage].filter(([, statuses]) => statuses.size > 0).map(([id]) => id);
  expect(answered).toEqual([...report.coverage.keys()]);
});
