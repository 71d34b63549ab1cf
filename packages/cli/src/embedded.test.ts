import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation(
    {
      PORT: String(await freePort()),
      MCP_PORT: String(await freePort()),
    },
    { spawned: true },
  );
});
afterAll(async () => {
  await installation.run('stop');
  await installation.remove();
});

interface Migrated {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

test('migrates the embedded database unless it is a dry run, reports that it runs, and stops it', async () => {
  expect(await installation.json('status')).toMatchObject({ database: { kind: 'embedded', running: false } });
  expect(await installation.json('stop')).toEqual({ stopped: false });

  const dry = await installation.json<Migrated>('migrate', '--dry-run');
  expect(dry).toMatchObject({ dry_run: true, applied: [], changed: [], failed: [], newer: [] });
  expect(dry.pending.length).toBeGreaterThan(0);
  const applied = { dry_run: false, applied: dry.pending, pending: [] };
  expect(await installation.json('migrate')).toMatchObject(applied);
  expect(await installation.json('migrate')).toMatchObject({ applied: [], pending: [] });

  const waiting = installation.startCommand(['worker'], { LOG_LEVEL: 'silent' });
  await waiting.waitForOutput(/The worker is ready/);
  expect(await installation.json('status')).toMatchObject({
    database: { kind: 'embedded', running: true, used_by: 1 },
  });
  expect(await installation.json('stop')).toEqual({ stopped: true });
  expect(await waiting.exited).toMatchObject({ code: 0 });
  expect(await installation.json('stop')).toEqual({ stopped: false });
});
