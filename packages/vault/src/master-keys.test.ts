import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Secret } from '@switchboard/domain';
import { environmentMasterKeys } from './environment-master-keys.js';
import { fileMasterKeys } from './file-master-keys.js';
import { generateMasterKey } from './generate-master-key.js';
import type { MasterKeyProvider } from './master-keys.js';

const context = Buffer.from('of workspace a');

describe('the keys of the environment', () => {
  const key = randomBytes(32);
  const good = key.toString('base64');
  const other = randomBytes(32).toString('base64');
  const spare = `${good.slice(0, 42)}${String.fromCharCode(good.charCodeAt(42) + 1)}=`;

  test.each([
    ['nothing', '', /key 1 is empty/],
    ['a comma too many', `new:${good},`, /key 2 is empty/],
    ['no id', good, /key 1 has no id/],
    ['an empty id', `:${good}`, /key 1 has an id that/],
    ['an id with spaces', `my key:${good}`, /key 1 has an id that/],
    ['key and id in the wrong order', `${good}:new`, /key 1 has an id that/],
    ['31 bytes', `new:${randomBytes(31).toString('base64')}`, /key 1 has 31 bytes instead of 32/],
    ['33 bytes', `new:${randomBytes(33).toString('base64')}`, /key 1 has 33 bytes instead of 32/],
    ['hex', `new:${key.toString('hex')}`, /key 1 is in hex/],
    ['hex, upper case', `new:${other},old:${key.toString('hex').toUpperCase()}`, /key 2 is in hex/],
    ['no base64', `new:${good.slice(0, -2)}!=`, /key 1 is not in base64/],
    ['base64url', `new:${Buffer.alloc(32, 0xff).toString('base64url')}`, /key 1 is not in base64/],
    ['base64 with spare bits', `new:${spare}`, /key 1 is not in canonical base64/],
    ['base64 without its end', `new:${good.slice(0, -1)}`, /key 1 is not in canonical base64/],
    ['an id twice', `new:${good},new:${other}`, /keys 1 and 2 have the same id/],
    ['a key twice', `new:${good},mid:${other},old:${good}`, /keys 1 and 3 are the same key/],
  ])('are rejected: %s', async (_what, text, message) => {
    const refused = await environmentMasterKeys(new Secret(text));
    expect(refused).toMatchObject({ ok: false, failure: { code: 'vault.unavailable' } });
    const shown = refused.ok ? '' : refused.failure.message;
    expect(shown).toMatch(/^SWITCHBOARD_MASTER_KEYS: /);
    expect(shown).toMatch(message);
    // No six characters of any key.
    for (const part of text.split(/[:,]/).filter((part) => part.length >= 20)) {
      for (let at = 0; at + 6 <= part.length; at++) expect(shown).not.toContain(part.slice(at, at + 6));
    }
  });

  test('any of them wraps and unwraps', async () => {
    const old = await environmentMasterKeys(new Secret(`old:${good}`));
    const both = await environmentMasterKeys(new Secret(` new:${other} ,\n old:${good}\n`));
    if (!old.ok || !both.ok) throw new Error('both are right');
    expect(await both.value.list()).toEqual({ ok: true, value: ['new', 'old'] });

    const dataKey = randomBytes(32);
    for (const [id, wrapper] of [
      ['old', old.value],
      ['old', both.value],
      ['new', both.value],
    ] as const) {
      const wrapped = await wrapper.wrap(id, dataKey, context);
      if (!wrapped.ok) throw new Error('local keys are always there');
      const unwrapped = await both.value.unwrap(id, wrapped.value, context);
      expect(unwrapped.ok && Buffer.compare(unwrapped.value, dataKey)).toBe(0);
    }
    expect(await old.value.wrap('new', dataKey, context)).toMatchObject({
      failure: { code: 'vault.unavailable' },
    });
  });

  test('do not unwrap under another ID, in another context, or what another key wrapped', async () => {
    const keys = await environmentMasterKeys(new Secret(`new:${other},old:${good}`));
    const foreign = await environmentMasterKeys(new Secret(`new:${randomBytes(32).toString('base64')}`));
    if (!keys.ok || !foreign.ok) throw new Error('both are right');
    const wrapped = await keys.value.wrap('new', randomBytes(32), context);
    if (!wrapped.ok) throw new Error('local keys are always there');
    const bytes = wrapped.value;
    for (const id of ['gone', 'constructor']) {
      expect(await keys.value.unwrap(id, bytes, context)).toMatchObject({
        failure: { code: 'vault.unavailable' },
      });
    }
    for (const attempt of [
      keys.value.unwrap('old', bytes, context),
      keys.value.unwrap('new', bytes, Buffer.from('of workspace b')),
      foreign.value.unwrap('new', bytes, context),
    ]) {
      expect(await attempt).toMatchObject({ ok: false, failure: { code: 'vault.unreadable' } });
    }
  });
});

test('a generated master key is valid, unique, and hidden until revealed', async () => {
  const keys = Array.from({ length: 100 }, () => generateMasterKey());
  expect(new Set(keys.map((key) => key.reveal())).size).toBe(100);
  expect((await environmentMasterKeys(keys[0] ?? new Secret(''))).ok).toBe(true);
  expect(String(keys[0])).toBe('[secret]');
});

describe('the key file', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-key-'));
    path = join(folder, '.switchboard', 'master-key');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const wrapped = async () => {
    const keys = await fileMasterKeys(path, { createIfMissing: true });
    if (!keys.ok) throw new Error(keys.failure.message);
    const ids = await keys.value.list();
    const masterKeyId = ids.ok ? ids.value[0] : '';
    const answer = await keys.value.wrap(masterKeyId, Buffer.alloc(32, 7), context);
    if (!answer.ok) throw new Error('local keys are always there');
    return { keys: keys.value, masterKeyId, wrapped: answer.value };
  };

  const refusal = async () => {
    const key = await readFile(path, 'utf8').catch(() => '');
    const answer = await fileMasterKeys(path, { createIfMissing: true });
    expect(answer).toMatchObject({ ok: false, failure: { code: 'vault.unavailable' } });
    const message = answer.ok ? '' : answer.failure.message;
    expect(message).toContain(path);
    if (key.includes(':')) expect(message).not.toContain(key.trim().split(':')[1]);
    return message;
  };

  test('is created once, readable by its owner only, without temporary files', async () => {
    const first = await wrapped();
    const text = await readFile(path, 'utf8');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const second = await wrapped();
    expect(await readFile(path, 'utf8')).toBe(text);
    expect((await second.keys.unwrap(first.masterKeyId, first.wrapped, context)).ok).toBe(true);
    expect(await readdir(join(path, '..'))).toEqual(['master-key']);
  });

  test('has one key for all processes that start concurrently', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, wrapped));
    for (const { keys } of all) {
      for (const { masterKeyId, wrapped } of all)
        expect((await keys.unwrap(masterKeyId, wrapped, context)).ok).toBe(true);
    }
    expect(await readdir(join(path, '..'))).toEqual(['master-key']);
  });

  test.each([0o644, 0o640, 0o604, 0o660, 0o610, 0o601])(
    'is rejected with mode %o, and left unchanged',
    async (mode) => {
      await wrapped();
      await chmod(path, mode);
      expect(await refusal()).toContain('chmod 600');
      expect((await stat(path)).mode & 0o777).toBe(mode);
    },
  );

  test('is rejected as a symbolic link, even a dangling one', async () => {
    await wrapped();
    const target = join(folder, 'elsewhere');
    await rename(path, target);
    await symlink(target, path);
    expect(await refusal()).toContain('symbolic link');
    await rm(target);
    expect(await refusal()).toContain('symbolic link');
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    await expect(stat(target)).rejects.toThrow('ENOENT');
  });

  test('is rejected as a directory', async () => {
    await mkdir(path, { recursive: true });
    expect(await refusal()).toContain('is not a regular file');
  });

  test.each([
    ['empty', '', 'is empty'],
    ['in hex', `id:${'ab'.repeat(32)}`, 'is in hex'],
    ['31 bytes', `id:${randomBytes(31).toString('base64')}`, 'has 31 bytes'],
    ['no text', randomBytes(64).toString('latin1'), 'key 1'],
    ['far too large', 'x'.repeat(5000), 'exceeds the maximum size'],
  ])('is rejected and left unchanged when it is %s', async (_what, text, message) => {
    await mkdir(join(path, '..'));
    await writeFile(path, text, { mode: 0o600 });
    expect(await refusal()).toContain(message);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('is not created where it must already exist', async () => {
    expect(await fileMasterKeys(path, { createIfMissing: false })).toMatchObject({
      failure: { code: 'vault.unavailable', message: `${path} does not exist.` },
    });
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  describe('a file that changes while a process runs', () => {
    const idsNow = async (keys: MasterKeyProvider) => {
      const ids = await keys.list();
      return ids.ok ? ids.value : ids.failure.message;
    };
    const line = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
    let keys: MasterKeyProvider;
    let old: string;
    beforeEach(async () => {
      old = line('old');
      await mkdir(join(path, '..'));
      await writeFile(path, `${old}\n`, { mode: 0o600 });
      const opened = await fileMasterKeys(path, { createIfMissing: false });
      if (!opened.ok) throw new Error(opened.failure.message);
      keys = opened.value;
    });

    test('provides the added key to the process, newest first, one per line', async () => {
      await writeFile(path, `${line('new')}\n\n${old}\n`);
      expect(await idsNow(keys)).toEqual(['new', 'old']);
      expect((await keys.wrap('new', Buffer.alloc(32, 7), context)).ok).toBe(true);
    });

    test('removes no key from the process, neither a removed nor a replaced one', async () => {
      const wrapped = await keys.wrap('old', Buffer.alloc(32, 7), context);
      if (!wrapped.ok) throw new Error('local keys are always there');
      await writeFile(path, `${line('new')}\n`);
      expect(await idsNow(keys)).toEqual(['new', 'old']);
      await writeFile(path, `${line('old')}\n`);
      expect(await idsNow(keys)).toEqual(['old', 'new']);
      expect((await keys.unwrap('old', wrapped.value, context)).ok).toBe(true);
    });

    test.each([
      ['half a key', (text: string) => text.slice(0, 20)],
      ['nothing', () => ''],
      ['the same key twice', (text: string) => `${text},${text}`],
    ])('and contains %s changes nothing until it is valid', async (_what, half) => {
      await writeFile(path, half(old));
      expect(await idsNow(keys)).toEqual(['old']);
      await writeFile(path, `${line('new')},${old}`);
      expect(await idsNow(keys)).toEqual(['new', 'old']);
    });

    test('that becomes accessible by other users, or is removed, changes nothing', async () => {
      await writeFile(path, `${line('new')},${old}`);
      await chmod(path, 0o644);
      expect(await idsNow(keys)).toEqual(['old']);
      await rm(path);
      expect(await idsNow(keys)).toEqual(['old']);
    });
  });

  // Only root can change the owner of a file.
  (process.geteuid?.() === 0 ? test : test.skip)('is refused when it belongs to another user', async () => {
    await wrapped();
    await chown(path, 65_534, 65_534);
    expect(await refusal()).toContain('is owned by another user');
  });
});
