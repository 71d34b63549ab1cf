import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createLog, scrub } from './log.js';
import type { Metrics } from './metrics.js';
import { createCallObserver } from './observer.js';
import { systemClock } from './system-clock.js';

const scriptThat = (logs: string) => `
  import { createLog } from ${JSON.stringify(fileURLToPath(new URL('../dist/log.js', import.meta.url)))};
  const log = createLog('info', 'stdout', 'test');
  ${logs}`;

/** The log line of a process for this error. */
function lineOf(error: string): string {
  const script = scriptThat(`log.error({ err: ${error} }, 'failed');`);
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

test.each([
  ['a warning and the lines before it are written at once', `log.info('first'); log.warn('second');`],
  ['other lines are written while the process runs', `log.info('first'); log.info('second');`],
])('%s', async (_what, logs) => {
  const script = scriptThat(`${logs} process.stdin.resume();`);
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const lines: unknown[] = [];
    for await (const line of createInterface(child.stdout)) {
      if (lines.push((JSON.parse(line) as { msg: string }).msg) === 2) break;
    }
    expect(lines).toEqual(['first', 'second']);
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

test('the last lines are written when the process ends', () => {
  const script = scriptThat(`log.info('first'); log.info('second');`);
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stdout.trim().split('\n')).toHaveLength(2);
});

test.each([
  `swb_0123456789ab${'Z9'.repeat(22)}`,
  'Bearer abcdefgh.ijkl',
  'basic dXNlcjpwYXNz',
  'DPoP eyJhbGciOi.x',
  'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
  'sq0csp-0123456789abcdef_',
  'postgresql://user:password@',
  'SMTPS://user:password@',
  'refresh_token=a%2Bb',
  'Client_Secret=s3cret',
])('a secret is redacted each time it occurs in a line (%s)', (secret) => {
  expect(scrub(`{"a":"see ${secret} ","b":"${secret}"}`)).toBe('{"a":"see [secret] ","b":"[secret]"}');
});

test.each([
  '{"request_id":"req_01m8fn43v1rexyz9hfp7nzb3sb","key":"key_01m8fn43v1rexyz9hfp7nzb3sb","outcome":"ok"}',
  'swb_0123456789ab',
  'the bearer of bad news',
  '{"trace_id":"eaaa0123456789abcdef0123456789ab"}',
  'https://example.com/?token=kept',
])('other text is logged as it is (%s)', (text) => {
  expect(scrub(text)).toBe(text);
});

test('a field with the name of a secret is redacted in an object that is logged', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) }, 'test');
  log.warn({ facts: { token: 'abc', platform: 'bluesky' } }, 'fault');
  expect(JSON.parse(lines.join(''))).toMatchObject({ facts: { token: '[secret]', platform: 'bluesky' } });
});

test('the line of a call is searched for secrets, as every line', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) }, 'test');
  const metrics = { calls: { inc: () => undefined }, seconds: { observe: () => undefined } };
  const observer = createCallObserver(log, metrics as unknown as Metrics, systemClock);
  const call = {
    operation: 'getMe',
    surface: 'rest',
    requestId: 'req_1',
    workspaceId: null,
    keyId: 'Bearer abcdefgh',
    outcome: 'ok',
    durationMs: 3,
  } as const;
  observer.onCall(call);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      app: 'test',
      msg: 'call',
      request_id: 'req_1',
      workspace: null,
      key: '[secret]',
      operation: 'getMe',
      surface: 'rest',
      outcome: 'ok',
      duration_ms: 3,
    }),
  ]);
});
