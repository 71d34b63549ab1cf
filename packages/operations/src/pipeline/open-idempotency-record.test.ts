import { beforeEach, describe, expect, test } from '@jest/globals';
import { canonicalJson, ok, refuse } from '@switchboard/domain';
import { z } from 'zod';
import { setupDispatch, insertProfile, makeThing, type DispatchFixture } from '../testing/setup-dispatch.js';

let it: DispatchFixture;
beforeEach(async () => {
  it = await setupDispatch();
});
const same = { idempotencyKey: 'the same' };

/** A use case that runs `work` outside of any transaction and reports its outcome. */
const staged = (work: () => Promise<unknown>, over = {}) =>
  makeThing({ boundary: 'staged', useCase: (async () => work()) as never, ...over });

describe('the same request with the same key', () => {
  test('returns the same status and bytes, and executes once', async () => {
    const first = await it.call(makeThing(), { name: 'one' }, same);
    const again = await it.call(makeThing(), { name: 'one' }, same);
    expect(again).toMatchObject({ status: 201, replayed: true, failure: null });
    expect(again.body()).toBe(first.body());
    expect(again.value).toEqual(first.value);
    expect(await it.names()).toEqual(['one']);
    expect(it.audit()).toEqual(['makeThing ok']);
  });

  test('matches however its fields are ordered', async () => {
    await it.call(makeThing(), { name: 'one', some_number: 1 }, same);
    expect(await it.call(makeThing(), { some_number: 1, name: 'one' }, same)).toMatchObject({
      replayed: true,
    });
  });

  test('executes once when sent twenty times concurrently, and every caller succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => it.call(makeThing(), { name: 'one' }, same)),
    );
    expect(await it.names()).toEqual(['one']);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  });

  test('of several steps is in progress while it runs, and returns when to retry', async () => {
    let finish = (_: unknown) => {};
    const running = new Promise((resolve) => (finish = resolve));
    const operation = staged(() => running);
    const first = it.call(operation, { name: 'one' }, same);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await it.call(operation, { name: 'one' }, same)).toMatchObject({
      status: 409,
      value: { code: 'idempotency.in_progress', retry_after_seconds: 1 },
    });
    expect(await it.call(operation, { name: 'two' }, same)).toMatchObject({
      status: 422,
      value: { code: 'idempotency.key_reused' },
    });
    finish(ok({ id: 'thing', name: 'one' }));
    expect(await first).toMatchObject({ status: 201 });
    expect(await it.call(operation, { name: 'one' }, same)).toMatchObject({ status: 201, replayed: true });
  });
});

test('rejects another request with the same key and changes nothing', async () => {
  await it.call(makeThing(), { name: 'one' }, same);
  expect(await it.call(makeThing(), { name: 'two' }, same)).toMatchObject({
    status: 422,
    value: { code: 'idempotency.key_reused' },
  });
  expect(await it.names()).toEqual(['one']);
});

test('a key is scoped to one operation and one family of API keys', async () => {
  const otherKey = await it.key(['profiles:write']);
  await it.call(makeThing(), { name: 'one' }, same);
  await it.call(makeThing({ name: 'makeOther' }), { name: 'two' }, same);
  await it.call(makeThing(), { name: 'three' }, { ...same, authorization: otherKey.authorization });
  expect(await it.names()).toEqual(['three', 'two', 'one']);
});

test.each(['', 'x'.repeat(256), 'tab\t', 'é'])(
  'rejects a key that is not 1 to 255 printable characters: %j',
  async (idempotencyKey) => {
    expect(await it.call(makeThing(), { name: 'one' }, { idempotencyKey })).toMatchObject({ status: 400 });
    expect(await it.names()).toEqual([]);
  },
);

test('ignores a key on operations that are safe to repeat', async () => {
  const operation = makeThing({ idempotent: false });
  await it.call(operation, { name: 'one' }, same);
  expect(await it.call(operation, { name: 'two' }, same)).toMatchObject({ status: 201, replayed: false });
});

describe('the stored response', () => {
  test('excludes a rejection that changed nothing: the key is free for a corrected request', async () => {
    expect(await it.call(makeThing(), { name: 'refused' }, same)).toMatchObject({ status: 409 });
    expect(await it.call(makeThing(), { name: 'one' }, same)).toMatchObject({ status: 201, replayed: false });
  });

  test('excludes a staged rejection that changed nothing too', async () => {
    const operation = staged(async () => refuse('platform.unavailable', 'Later.'));
    expect(await it.call(operation, { name: 'one' }, same)).toMatchObject({ status: 503 });
    expect(await it.call(makeThing(), { name: 'two' }, same)).toMatchObject({ status: 201 });
  });

  test('includes a failure with unknown effect: a retry does not execute it again', async () => {
    let runs = 0;
    const operation = staged(async () => {
      runs++;
      return refuse('platform.outcome_unknown', 'The outcome is unknown.');
    });
    const first = await it.call(operation, { name: 'one' }, same);
    expect(first).toMatchObject({ status: 502, value: { effect: 'unknown' } });
    const again = await it.call(operation, { name: 'one' }, same);
    expect(again).toMatchObject({ status: 502, replayed: true });
    expect(again.body()).toBe(first.body());
    expect(runs).toBe(1);
    expect(it.records.map(({ outcome }) => outcome)).toEqual([
      'platform.outcome_unknown',
      'platform.outcome_unknown',
    ]);
  });

  test('excludes a request that threw: it runs again and finds its own work', async () => {
    let runs = 0;
    const operation = staged(async () => {
      if (++runs === 1) throw new Error('half-way');
      return ok({ id: 'thing', name: 'one' });
    });
    expect(await it.call(operation, { name: 'one' }, same)).toMatchObject({ status: 500 });
    expect(await it.call(operation, { name: 'one' }, same)).toMatchObject({ status: 201, replayed: false });
  });

  test('is taken over by the same request when the process that ran it has died', async () => {
    const { transactions } = it.ports;
    let died = false;
    const dying = staged(async () => {
      died = true;
      return ok({ id: 'thing', name: 'one' });
    });
    it.ports.transactions = {
      run: (work) => (died ? Promise.reject(new Error('gone')) : transactions.run(work)),
    };
    expect(await it.call(dying, { name: 'one' }, same)).toMatchObject({ status: 500 });
    it.ports.transactions = transactions;
    const operation = staged(async () => ok({ id: 'thing', name: 'one' }));
    expect(await it.call(operation, { name: 'one' }, same)).toMatchObject({ status: 409 });
    it.clock.advance(61_000);
    expect(await it.call(operation, { name: 'two' }, same)).toMatchObject({ status: 422 });
    expect(await it.call(operation, { name: 'one' }, same)).toMatchObject({ status: 201 });
  });

  test('is sealed for its record', async () => {
    const unlock = it.ports.vault.unlock.bind(it.ports.vault);
    const sealed: unknown[] = [];
    it.ports.vault = {
      ...it.ports.vault,
      unlock: async (workspaceId) => {
        const vault = await unlock(workspaceId);
        if (!vault.ok) return vault;
        const seal: typeof vault.value.seal = (binding, secret) => {
          sealed.push([binding, String(secret)]);
          return vault.value.seal(binding, secret);
        };
        return ok({ ...vault.value, seal });
      },
    };
    await it.call(makeThing(), { name: 'one' }, same);
    const lineage = it.used[0]?.lineage;
    expect(sealed).toEqual([
      [
        { table: 'idempotency_keys', row: `makeThing:${lineage}:the same`, field: 'body', generation: 0 },
        '[secret]',
      ],
    ]);
  });

  test('requires the vault: without it nothing is executed', async () => {
    it.vault.available = false;
    expect(await it.call(makeThing(), { name: 'one' }, same)).toMatchObject({
      status: 503,
      value: { code: 'vault.unavailable' },
    });
    expect(await it.names()).toEqual([]);
  });
});

describe('before a response is replayed', () => {
  test('the key and its scopes are checked', async () => {
    const { key, authorization } = await it.key(['profiles:write']);
    await it.call(makeThing(), { name: 'one' }, { ...same, authorization });
    await it.repositories.apiKeys.revoke(it.workspace.id, key.id);
    expect(await it.call(makeThing(), { name: 'one' }, { ...same, authorization })).toMatchObject({
      status: 401,
    });
  });

  const present = (({ id, name }: { id: string; name: string }) => ({ id, name, profile_id: id })) as never;

  test('a key of the family that can no longer access the profile is rejected', async () => {
    const { key, authorization } = await it.key(['profiles:write']);
    const made = await it.call(makeThing({ present }), { name: 'one' }, { ...same, authorization });
    const ask = async (profileIds: readonly string[]) =>
      it.call(
        makeThing({ present }),
        { name: 'one' },
        {
          ...same,
          authorization: await it.sibling(key, { profileIds: profileIds as never }),
        },
      );
    expect(await ask([it.profile.id])).toMatchObject({ status: 403, value: { code: 'key.policy_exceeded' } });
    expect((await ask([it.profile.id])).body()).not.toContain(String(made.value['id']));
    expect(await ask([String(made.value['profile_id'])])).toMatchObject({ status: 201, replayed: true });
  });

  test('a response that names no profile is replayed to keys with at least the access of the original key', async () => {
    const bound = await it.key(['profiles:write'], { profileIds: [it.profile.id] });
    await it.call(makeThing(), { name: 'one' }, { ...same, authorization: bound.authorization });
    const ask = async (profileIds: readonly never[] | null) =>
      it.call(
        makeThing(),
        { name: 'one' },
        { ...same, authorization: await it.sibling(bound.key, { profileIds }) },
      );
    expect(await ask([])).toMatchObject({ status: 403 });
    expect(await ask(null)).toMatchObject({ status: 201, replayed: true });
    expect(await ask([it.profile.id as never])).toMatchObject({ status: 201, replayed: true });
  });
});

test('the use case receives its idempotency key, so that it finds its own work', async () => {
  const tokens: unknown[] = [];
  const useCase = (async (ports: never, call: { idempotency?: unknown }, command: never) => {
    tokens.push(call.idempotency);
    return (insertProfile as (...all: unknown[]) => Promise<unknown>)(ports, call, command);
  }) as never;
  await it.call(makeThing({ useCase }), { name: 'one' }, same);
  await it.call(makeThing({ useCase }), { name: 'two' });
  expect(tokens).toEqual([
    { key: 'the same', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/), lineage: it.used[0]?.lineage },
    undefined,
  ]);
});

test('the fingerprint of a request with a secret cannot be computed from the request alone', async () => {
  const fingerprints: string[] = [];
  const useCase = (async (ports: never, call: { idempotency?: { fingerprint: string } }, command: never) => {
    fingerprints.push(call.idempotency?.fingerprint ?? '');
    return (insertProfile as (...all: unknown[]) => Promise<unknown>)(ports, call, command);
  }) as never;
  const field = z.string();
  for (const [at, name] of [field, field.meta({ writeOnly: true }).transform((text) => text)].entries()) {
    const items = z.array(z.strictObject({ name })).optional();
    const operation = makeThing({ useCase, input: z.strictObject({ name: field, items }) });
    const input = { name: 'one', items: [{ name: 'a secret' }] };
    await it.call(operation, input, { idempotencyKey: `key ${at}` });
  }
  const plain = it.ports.tokens.digestHex(
    canonicalJson({ operation: 'makeThing', input: { name: 'one', items: [{ name: 'a secret' }] } }),
  );
  expect(fingerprints).toEqual([plain, expect.not.stringContaining(plain)]);
});
