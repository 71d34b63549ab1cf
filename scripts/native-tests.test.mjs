import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/** Test files with known results, run by the configuration that all packages share. */
const root = path.resolve(import.meta.dirname, '..');
const jestProgram = path.join(root, 'node_modules/jest/bin/jest.js');
const folder = mkdtempSync(path.join(tmpdir(), 'native-tests-'));
const write = (name, text) => writeFileSync(path.join(folder, name), text);
const imports =
  "import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';\n";

/** The status of each test by its title, and the message of each file that failed outside of its tests. */
async function run(...args) {
  const output = path.join(folder, 'result.json');
  const child = spawn(
    process.execPath,
    [
      jestProgram,
      '--config',
      path.join(folder, 'jest.config.mjs'),
      '--json',
      '--outputFile',
      output,
      ...args,
    ],
    { cwd: root, stdio: 'ignore', env: { ...process.env, CI: 'true' } },
  );
  const code = await new Promise((resolve) => child.once('exit', resolve));
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  const tests = {};
  const failedFiles = [];
  for (const { name, assertionResults, status } of testResults) {
    for (const { title, status } of assertionResults) tests[title] = status;
    if (status === 'failed') failedFiles.push(path.basename(name));
  }
  return { code, tests, failedFiles: failedFiles.sort() };
}

beforeAll(() => {
  write('package.json', '{ "type": "module" }');
  write(
    'jest.config.mjs',
    `import { jestConfig } from '${path.join(root, 'jest.base.mjs')}';
export default { ...jestConfig({ displayName: 'planted' }), testMatch: ['<rootDir>/*.test.ts'] };\n`,
  );
  write(
    'shared.ts',
    `${imports}export const holds = (is: boolean) => expect(is).toBe(true);
export const countStates = () =>
  Object.getOwnPropertySymbols(globalThis).filter((symbol) => symbol.description === 'JEST_STATE_SYMBOL').length;\n`,
  );
  write(
    'a.test.ts',
    `${imports}import { holds } from './shared.js';
const spied = jest.spyOn(Math, 'random').mockReturnValue(2);
test('passes', () => holds(Math.random() === 2));
test('fails', () => holds(false));
test('rejects', async () => { await Promise.reject(new Error('planted')); });
test('hangs', () => new Promise(() => {}), 50);
test('asserts too little', () => { expect.assertions(1); });
test('rejects unhandled', async () => {
  void Promise.reject(new Error('planted'));
  await new Promise((resolve) => setTimeout(resolve, 20));
});
test.each([1, 2])('is %d', (number) => { expect(number).toBe(1); });
test.skip('is skipped', () => { throw new Error('planted'); });
describe('with a hook', () => {
  beforeAll(() => { throw new Error('planted'); });
  test('has a failing hook', () => {});
});\n`,
  );
  write(
    'b.test.ts',
    `${imports}import { countStates, holds } from './shared.js';
jest.setTimeout(100);
test('has nothing of another file', () => holds(Math.random() < 1));
test('does not hold the tests of another file', () => holds(countStates() === 1));
test('hangs by the time of its file', () => new Promise(() => {}));\n`,
  );
  write(
    'c.test.ts',
    `${imports}afterAll(() => { throw new Error('planted'); });\ntest('has a failing end', () => {});\n`,
  );
  write('d.test.ts', `import './missing.js';\n`);
  write(
    'e.test.ts',
    `${imports}import { countStates, holds } from './shared.js';
test('holds its own tests only', () => holds(countStates() === 1));
test('has the default time', async () => {
  await new Promise((resolve) => setTimeout(resolve, 300));
});\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const statuses = {
  passes: 'passed',
  fails: 'failed',
  rejects: 'failed',
  hangs: 'failed',
  'asserts too little': 'failed',
  'rejects unhandled': 'failed',
  'is 1': 'passed',
  'is 2': 'failed',
  'is skipped': 'pending',
  'has a failing hook': 'failed',
  'has nothing of another file': 'passed',
  'does not hold the tests of another file': 'passed',
  'holds its own tests only': 'passed',
  'hangs by the time of its file': 'failed',
  'has a failing end': 'passed',
  'has the default time': 'passed',
};

test.each([['--runInBand'], ['--maxWorkers=2']])('reports each planted failure (%s)', async (workers) => {
  expect(await run(workers)).toEqual({
    code: 1,
    tests: statuses,
    failedFiles: ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'],
  });
});

test('runs the tests of a title', async () => {
  const { code, tests } = await run('--testNamePattern=^passes$', 'a.test');
  expect([code, tests.passes, tests.fails]).toEqual([0, 'passed', 'pending']);
});
