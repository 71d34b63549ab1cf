import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

/** The log line of a process for this error. */
function lineOf(error: string): string {
  const log = fileURLToPath(new URL('../dist/log.js', import.meta.url));
  const script = `import { createLog } from ${JSON.stringify(log)};
    createLog('info', 'stdout', 'test').error({ err: ${error} }, 'failed');`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  }).stdout;
}

test('an error is logged with its message and its stack trace', () => {
  const { err } = JSON.parse(lineOf(`new TypeError('no such thing')`)) as { err: Record<string, string> };
  expect(err).toMatchObject({ name: 'TypeError', message: 'no such thing' });
  expect(err['stack']).toMatch(/^TypeError: \n\s+at /);
});

test('a very long error is truncated', () => {
  expect(lineOf(`new Error('x'.repeat(10_000_000))`).length).toBeLessThan(10_000);
});

test.each([
  'shpat_0123456789abcdef0123456789abcdef',
  'shpss_0123456789abcdef',
  'EAAAlongAccessToken-of_Square',
])('strings that begin like a token of a store are redacted (%s)', (secret) => {
  const line = lineOf(`new Error('sent ${secret} there')`);
  expect(line).toContain('[secret]');
  expect(line).not.toContain(secret);
});

test('a thrown value that is not an error is logged too', () => {
  expect(JSON.parse(lineOf(`{ code: 'E7' }`))).toMatchObject({ err: { code: 'E7' } });
});
