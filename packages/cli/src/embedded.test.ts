import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { freePort } from './testing/free-port.js';
import { installation, type Installation } from './testing/installation.js';

jest.setTimeout(120_000);

let here: Installation;
beforeAll(async () => {
  here = await installation({ PORT: String(await freePort(7)), MCP_PORT: String(await freePort(8)) });
});
afterAll(async () => {
  await here.run('stop');
  await here.remove();
});

interface Migrated {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

test('migrates the embedded database only when it is not a dry run, sees it run and stops it', async () => {
  expect(await here.json('status')).toMatchObject({ database: { kind: 'embedded', running: false } });
  expect(await here.json('stop')).toEqual({ stopped: false });

  const dry = await here.json<Migrated>('migrate', '--dry-run');
  expect(dry).toMatchObject({ dry_run: true, applied: [], changed: [], failed: [], newer: [] });
  expect(dry.pending.length).toBeGreaterThan(0);
  const applied = { dry_run: false, applied: dry.pending, pending: [] };
  expect(await here.json('migrate')).toMatchObject(applied);
  expect(await here.json('migrate')).toMatchObject({ applied: [], pending: [] });

  const waiting = here.begin(['worker'], { LOG_LEVEL: 'silent' });
  await waiting.says(/The worker is ready/);
  expect(await here.json('status')).toMatchObject({
    database: { kind: 'embedded', running: true, used_by: 1 },
  });
  expect(await here.json('stop')).toEqual({ stopped: true });
  expect(await waiting.ended).toMatchObject({ code: 0 });
  expect(await here.json('stop')).toEqual({ stopped: false });
});
