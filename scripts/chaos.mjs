// Builds the dependencies, then runs the chaos tests: `pnpm test:chaos posts --seed 7`, `pnpm test:chaos tokens`, all of
// them so small that they take seconds (`short`), or the tests that repeat what is random in them, more often than
// `pnpm test` (`histories`).
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram, runSuite } from './acceptance-suite.mjs';
import { root, turbo } from './turbo.mjs';

/** The tests that repeat what is random in them, by the folder of their package. */
function findRepeatingTests() {
  const files = globSync('{apps,packages}/*/src/**/*.test.ts', { cwd: root })
    .filter((file) => /\b(repetitions|randomSeeds)\(/.test(readFileSync(path.join(root, file), 'utf8')))
    .map((file) => file.split(path.sep));
  return Map.groupBy(files, (parts) => parts.slice(0, 2).join('/'));
}

async function runHistories() {
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/acceptance');
  const codes = [...findRepeatingTests()].map(
    ([folder, files]) =>
      spawnSync('pnpm', ['run', 'test', ...files.map((parts) => parts.slice(2).join('/'))], {
        cwd: path.join(root, folder),
        env: { ...process.env, SWITCHBOARD_TEST_REPETITIONS: 'many' },
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
