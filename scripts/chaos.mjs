// Builds the dependencies, then runs the chaos tests: `pnpm test:chaos posts --seed 7`, `pnpm test:chaos tokens`, all of
// them so small that they take seconds (`short`), or the tests of random histories with more seeds than the gate
// (`histories`).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { runProgram, runSuite } from './acceptance-suite.mjs';
import { root, turbo } from './turbo.mjs';

const HISTORIES = [
  [
    'packages/domain',
    'poll-order-changes|orders/store-webhooks',
    { ORDER_FEED_SEEDS: '1,2,3,4,5,6,7,8,9,10,11,12' },
  ],
  ['packages/persistence', 'sum-posts', { ANALYTICS_SEEDS: '1,2,3,4,5,6' }],
  ['packages/persistence', 'key-trees', { KEY_TREES: '200' }],
];

async function runHistories() {
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/acceptance');
  const codes = HISTORIES.map(
    ([folder, pattern, env]) =>
      spawnSync('pnpm', ['run', 'test', pattern], {
        cwd: path.join(root, folder),
        env: { ...process.env, ...env },
        stdio: 'inherit',
      }).status ?? 1,
  );
  return [built, ...codes].find((code) => code !== 0) ?? 0;
}

switch (process.argv[2]) {
  case 'short':
    process.argv.splice(2, 1);
    await runSuite('jest.chaos.config.mjs');
    break;
  case 'histories':
    process.exitCode = await runHistories();
    break;
  default:
    await runProgram('chaos');
}
