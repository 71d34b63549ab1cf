import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const file = new URL('./defer-optimization.ts', import.meta.url).href;

/** In a process of its own, because a process does not read cached code of what it has compiled. */
const run = (code: string): string => {
  const imports = `import vm from 'node:vm'; import { deferOptimization } from ${JSON.stringify(file)};`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', `${imports}${code}`], {
    encoding: 'utf8',
  });
};

test('another process accepts the code that is cached afterwards', () => {
  const cache = run(`const script = new vm.Script('(() => 1)()');
    deferOptimization(() => null);
    process.stdout.write(script.createCachedData().toString('base64'));`);
  const rejected = run(`const cachedData = Buffer.from('${cache}', 'base64');
    process.stdout.write(String(new vm.Script('(() => 1)()', { cachedData }).cachedDataRejected));`);
  expect(rejected).toBe('false');
});
