import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '@switchboard/bootstrap';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

interface Status {
  readonly master_keys: readonly {
    readonly id: string;
    readonly held: boolean;
    readonly newest: boolean;
    readonly wraps_new: boolean;
    readonly data_keys: number;
    readonly since: string | null;
  }[];
  readonly canary: string;
  readonly processes: readonly { readonly app: string; readonly lacks: readonly string[] }[];
  readonly next: string;
}

let installation: Installation;
let service: Service | undefined;
const generate = async () =>
  (await installation.json<{ master_key: string }>('vault', 'generate-key')).master_key;
const idOf = (key: string) => key.split(':')[0] ?? '';
let keys: { old: string; newest: string };

beforeAll(async () => {
  installation = await createInstallation({
    DATABASE_URL: await testDatabase('cli_vault'),
    PORT: String(await freePort()),
  });
  keys = { old: await generate(), newest: await generate() };
});
afterAll(async () => {
  await service?.close();
  await installation.remove();
});

const withKeys = (...list: string[]) => ({ SWITCHBOARD_MASTER_KEYS: list.join(',') });
async function json<Shape>(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Shape> {
  const { code, stdout, stderr } = await installation.runWith(env, ...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as Shape;
}

test('the rotation from one master key to the next: each step is reported, none can be taken too early', async () => {
  const [old, newest] = [idOf(keys.old), idOf(keys.newest)];
  const before = await json<Status>(withKeys(keys.old), 'vault', 'status');
  expect(before).toEqual({
    master_keys: [
      {
        id: old,
        held: true,
        newest: true,
        wraps_new: true,
        data_keys: 2,
        since: expect.stringMatching(/Z$/),
      },
    ],
    canary: 'ok',
    processes: [],
    next: 'Nothing.',
  });

  // A file: the process picks up added keys.
  const file = path.join(installation.dataDir, 'keys');
  await writeFile(file, `${keys.old}\n`, { mode: 0o600 });
  service = await startService({
    app: 'worker',
    logTo: 'stderr',
    env: { ...installation.env, SWITCHBOARD_MASTER_KEYS_FILE: file, LOG_LEVEL: 'silent' },
  });
  const both = withKeys(keys.newest, keys.old);
  const early = await json<Status>(both, 'vault', 'status');
  expect(early.processes).toMatchObject([{ app: 'worker', lacks: [newest] }]);
  expect(early.next).toMatch(/^Add \S+ to worker \(process \d+ on .*\); then run `switchboard vault rotate`/);
  const refused = await installation.runWith(both, 'vault', 'rotate');
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/^switchboard: Nothing was changed: .*worker \(process \d+ on [^\n]*\n$/);

  await writeFile(file, `${keys.newest}\n${keys.old}\n`);
  expect(await service.ready()).toMatchObject({ ready: true });
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  expect((await json<Status>(both, 'vault', 'status')).next).toMatch(/^Run `switchboard vault rotate`/);

  const rotated = await installation.runWith(both, 'vault', 'rotate', '--json');
  expect(JSON.parse(rotated.stdout)).toEqual({
    master_key: newest,
    rewrapped: 2,
    unreadable: [],
    canary: 'ok',
    secrets_read: 0,
    secrets_unreadable: 0,
    removable: [old],
    still_needed: [],
  });
  expect(rotated.stderr).toContain('Data keys wrapped with the newest master key: 2 of 2\n');
  expect(await service.ready()).toMatchObject({ ready: true });
  expect((await json<Status>(both, 'vault', 'status')).next).toMatch(new RegExp(`^Remove ${old} from`));

  const after = await json<Status>(withKeys(keys.newest), 'vault', 'status');
  expect(after).toMatchObject({
    canary: 'ok',
    next: 'Nothing.',
    master_keys: [{ id: newest, data_keys: 2 }],
  });
  const text = await installation.runWith(withKeys(keys.newest), 'vault', 'status');
  expect(text.stdout).toMatch(/newest, wraps new data keys/);
});

test('a process that has only the old master key after the rotation does not start, and no output contains a key', async () => {
  for (const [env, args] of [
    [withKeys(keys.old), ['vault', 'status']],
    [withKeys(keys.old), ['vault', 'rotate']],
    [withKeys(await generate()), ['vault', 'status']],
  ] as const) {
    const { code, stdout, stderr } = await installation.runWith(env, ...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^switchboard: [^\n]*does not open this database[^\n]*\n$/);
    for (const key of [keys.old, keys.newest]) expect(stderr).not.toContain(key.split(':')[1]);
  }
});

test('only one of the two variables may be set, and the file needs an absolute path', async () => {
  const twice = await installation.runWith(
    { ...withKeys(keys.newest), SWITCHBOARD_MASTER_KEYS_FILE: '/keys' },
    ...['vault', 'status'],
  );
  expect([twice.code, twice.stderr]).toEqual([1, expect.stringMatching(/are both set/)]);
  const relative = await installation.runWith({ SWITCHBOARD_MASTER_KEYS_FILE: 'keys' }, 'vault', 'status');
  expect([relative.code, relative.stderr]).toEqual([
    1,
    expect.stringMatching(/_FILE is invalid: an absolute path/),
  ]);
  const missing = await installation.runWith(
    { SWITCHBOARD_MASTER_KEYS_FILE: '/nowhere/keys' },
    'vault',
    'status',
  );
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/\/nowhere\/keys does not exist/),
  ]);
});
