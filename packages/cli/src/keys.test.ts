import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startService, type Service } from '@switchboard/bootstrap';
import { identify, scopePresets } from '@switchboard/domain/access';
import { testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
let service: Service;
beforeAll(async () => {
  installation = await createInstallation({ DATABASE_URL: await testDatabase('cli_keys') });
  service = await startService({
    app: 'cli',
    logTo: 'stderr',
    env: installation.env,
  });
});
afterAll(async () => {
  await service.close();
  await installation.remove();
});

interface Key {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly policy: Readonly<Record<string, unknown>>;
  readonly revoked_at: string | null;
  readonly secret?: string;
}

const identified = async (token: string) =>
  (await identify(service.ports, { authorization: `Bearer ${token}`, address: '127.0.0.1' })).result;
/** The notification of a revocation reaches the caches of other processes after the command has ended. */
async function rejectedSoon(token: string) {
  const untilMs = Date.now() + 10_000;
  let result = await identified(token);
  while (result.ok && Date.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    result = await identified(token);
  }
  return result;
}
async function keyCount() {
  const [workspace] = await service.ports.workspaces.list();
  if (!workspace) throw new Error('the first start created no workspace');
  return (await service.ports.apiKeys.list(workspace.id, { limit: 100 })).items.length;
}

test('prints a key that authenticates, once, with the scopes of its preset', async () => {
  const { code, stdout } = await installation.run(
    'keys',
    'create',
    '--name',
    'reports',
    '--preset',
    'reader',
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^swb_[0-9A-Za-z]{61}\n$/);
  const result = await identified(stdout.trim());
  expect(result).toMatchObject({
    ok: true,
    value: {
      name: 'reports',
      scopes: scopePresets.reader,
      policy: { expiresAt: null, refundCeilings: null },
    },
  });
  const listed = await installation.run('keys', 'list', '--json');
  expect(listed.stdout).toContain('"reports"');
  expect(listed.stdout + listed.stderr).not.toContain(stdout.trim().slice(16));
});

test('sets what a person has to approve, and changes only what an option names', async () => {
  const approvalOf = async (...args: readonly string[]) =>
    (await installation.json<Key>('keys', ...args)).policy['approval'];
  const { id } = await installation.json<Key>(
    ...['keys', 'create', '--name', 'careful', '--preset', 'agent', '--approve-posts'],
    ...['--approve-refunds-over', 'EUR:50', '--approve-refunds-over', 'JPY:0'],
  );
  const refundsOver = [
    { currency: 'EUR', amount: '50.00' },
    { currency: 'JPY', amount: '0' },
  ];
  const all = { posts: 'always', refunds_over: refundsOver, expires_in_hours: 72 };
  expect(await approvalOf('update', id, '--name', 'renamed')).toEqual(all);
  expect(await approvalOf('update', id, '--approval-hours', '24')).toEqual({ ...all, expires_in_hours: 24 });
  const never = { ...all, posts: 'never', expires_in_hours: 24 };
  expect(await approvalOf('update', id, '--no-approve-posts')).toEqual(never);
  expect((await installation.run('keys', 'list')).stdout).toContain('approval');
  expect(await approvalOf('update', id, '--approve-refunds-over', 'none')).toBeNull();
  const { code, stderr } = await installation.run('keys', 'update', id, '--approval-hours', '24');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--approve-posts')]);
});

test('prints with --json the key as REST returns it, with its secret', async () => {
  const key = await installation.json<Key>(
    ...['keys', 'create', '--name', 'refunds', '--preset', 'agent', '--scopes', 'refunds:write,audit:read'],
    ...['--refund-limit', 'EUR:50/500', '--refund-limit', 'JPY:1000/5000', '--expires-in-days', '30'],
  );
  expect(key).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'refunds',
    scopes: expect.arrayContaining([...scopePresets.agent, 'refunds:write', 'audit:read']),
    policy: {
      profile_ids: null,
      expires_at: expect.stringMatching(/Z$/),
      allowed_cidrs: null,
      refund_ceilings: [
        { currency: 'EUR', per_refund: '50.00', per_day: '500.00' },
        { currency: 'JPY', per_refund: '1000', per_day: '5000' },
      ],
      approval: null,
      hide_personal_data: false,
    },
    created_at: expect.stringMatching(/Z$/),
    last_used_at: null,
    revoked_at: null,
    replaced_by: null,
    secret: expect.stringMatching(/^swb_/),
    secret_available: true,
  });
  const days = (Date.parse(String(key.policy['expires_at'])) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect(await identified(String(key.secret))).toMatchObject({
    value: {
      policy: { refundCeilings: [{ perRefundMinor: 5000, perDayMinor: 50_000 }, { perRefundMinor: 1000 }] },
    },
  });
});

test.each([
  ['a preset with refunds:write and no limit', ['--preset', 'full'], /needs --refund-limit/],
  ['refunds:write by name and no limit', ['--scopes', 'refunds:write'], /needs --refund-limit/],
  ['a currency that does not exist', ['--preset', 'full', '--refund-limit', 'EURO:5/50'], /ISO 4217/],
  ['an unknown scope', ['--scopes', 'posts:everything'], /Unknown scope posts:everything/],
  ['an unknown preset', ['--preset', 'root'], /Allowed choices are/],
  ['no scopes', [], /--preset/],
  ['a lifetime of no days', ['--preset', 'agent', '--expires-in-days', '0'], /whole number of days/],
])('rejects %s in one line, and creates no key', async (_, options, reason) => {
  const before = await keyCount();
  const { code, stdout, stderr } = await installation.run('keys', 'create', '--name', 'x', ...options);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^switchboard: [^\n]+\n$/);
  expect(stderr).toMatch(reason);
  expect(await keyCount()).toBe(before);
});

test('creates a key without a refund limit for the limit none', async () => {
  const key = await installation.json<Key>(
    'keys',
    'create',
    '--name',
    'all',
    '--preset',
    'full',
    '--refund-limit',
    'none',
  );
  expect(key.policy['refund_ceilings']).toBeNull();
  expect(key.scopes).toEqual(scopePresets.full);
});

describe('a key that is bound to a profile (finding 14)', () => {
  let profile: { readonly id: string };
  beforeAll(async () => {
    profile = await installation.json('profiles', 'create', 'Lumen Coffee', '--external-id', 'customer-17');
  });

  test.each(['agent', 'reader'] as const)(
    'is created from the preset %s without the scopes that it cannot have, which are reported',
    async (preset) => {
      const { code, stdout, stderr } = await installation.run(
        ...['keys', 'create', '--name', `bound ${preset}`, '--preset', preset, '--profile', profile.id],
      );
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^swb_[0-9A-Za-z]{61}\n$/)]);
      expect(stderr).toContain(`cannot have webhooks:read: omitted from ${preset}.`);
      expect(await identified(stdout.trim())).toMatchObject({
        value: {
          scopes: scopePresets[preset].filter((scope) => scope !== 'webhooks:read'),
          policy: { profileIds: [profile.id] },
        },
      });
    },
  );

  test.each(['Lumen Coffee', 'customer-17'])('accepts the profile as %s too', async (name) => {
    const made = await installation.json<Key>(
      ...['keys', 'create', '--name', 'bound', '--preset', 'reader', '--profile', name],
    );
    expect(made.policy['profile_ids']).toEqual([profile.id]);
  });

  test('is rejected with an explicit scope beyond its profile, and with an unknown profile', async () => {
    const create = ['keys', 'create', '--name', 'x', '--preset', 'reader'];
    const before = await keyCount();
    const wide = await installation.run(...create, '--profile', profile.id, '--scopes', 'webhooks:read');
    expect([wide.code, wide.stderr]).toEqual([1, expect.stringContaining('cannot hold webhooks:read')]);
    for (const name of ['prf_01kah3v5w8e2m6r9t0x4y7z1ab', 'nobody']) {
      const { code, stderr } = await installation.run(...create, '--profile', name);
      expect([code, stderr]).toEqual([1, expect.stringContaining('not found in this workspace')]);
    }
    expect(await keyCount()).toBe(before);
  });

  test('is bound, changed by a preset and unbound by an update', async () => {
    const free = await installation.json<Key>(
      'keys',
      'create',
      '--name',
      'changing',
      '--scopes',
      'posts:read',
    );
    const update = (...options: readonly string[]) =>
      installation.json<Key>('keys', 'update', free.id, ...options);
    expect(await update('--profile', 'customer-17')).toMatchObject({
      scopes: ['posts:read'],
      policy: { profile_ids: [profile.id] },
    });
    expect((await update('--preset', 'agent')).scopes).not.toContain('webhooks:read');
    expect(await update('--preset', 'agent', '--profile', 'any')).toMatchObject({
      scopes: scopePresets.agent,
      policy: { profile_ids: null },
    });
  });
});

test('updates the named fields of a key and keeps the rest, its secret too', async () => {
  const key = await installation.json<Key>(
    ...['keys', 'create', '--name', 'first', '--preset', 'agent', '--cidr', '127.0.0.0/8', '--cidr', '::1'],
    ...['--expires-in-days', '30', '--hide-personal-data'],
  );
  expect(key.policy).toMatchObject({ allowed_cidrs: ['127.0.0.0/8', '::1'], hide_personal_data: true });
  const renamed = await installation.json<Key & { name: string }>(
    'keys',
    'update',
    key.id,
    '--name',
    'second',
  );
  expect(renamed).toEqual({ ...key, name: 'second', secret: undefined, secret_available: undefined });
  const changed = await installation.json<Key>(
    ...['keys', 'update', key.id, '--scopes', 'orders:read,refunds:write', '--refund-limit', 'EUR:5/50'],
    ...['--cidr', 'any', '--expires-in-days', 'never', '--no-hide-personal-data'],
  );
  expect(changed).toMatchObject({
    scopes: ['orders:read', 'refunds:write'],
    policy: {
      allowed_cidrs: null,
      expires_at: null,
      hide_personal_data: false,
      refund_ceilings: [{ currency: 'EUR', per_refund: '5.00', per_day: '50.00' }],
    },
  });
  const { stdout } = await installation.run('keys', 'list');
  expect(stdout).toMatch(
    new RegExp(`${key.id} +second +valid +never used +refunds EUR:5.00/50.00 +orders:read`),
  );
  expect(await identified(String(key.secret))).toMatchObject({ ok: true, value: { name: 'second' } });
});

test.each([
  ['nothing', [], /Nothing to change/],
  ['refunds:write without a limit', ['--preset', 'full'], /needs --refund-limit/],
  ['an invalid network', ['--cidr', '10.0.0.1/8'], /--cidr 10.0.0.1\/8/],
  ['an empty list of scopes', ['--scopes', ''], /at least one scope/],
])('rejects an update with %s', async (_, options, reason) => {
  const { id } = await installation.json<Key>('keys', 'create', '--name', 'kept', '--preset', 'agent');
  const { code, stdout, stderr } = await installation.run('keys', 'update', id, ...options);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(reason);
});

test('rotates a key: the new one is shown once, the old one ends with the overlap', async () => {
  const old = await installation.json<Key>('keys', 'create', '--name', 'turning', '--preset', 'agent');
  const rotated = await installation.run('keys', 'rotate', old.id, '--overlap-seconds', '60');
  expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringMatching(/^swb_[0-9A-Za-z]{61}\n$/)]);
  expect(rotated.stderr).toContain(old.id);
  expect(rotated.stderr).not.toContain('swb_');
  for (const token of [String(old.secret), rotated.stdout.trim()])
    expect(await identified(token)).toMatchObject({ ok: true, value: { lineage: old.id } });
  const again = await installation.run('keys', 'rotate', old.id);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already rotated')]);
  const { stdout } = await installation.run('keys', 'list');
  expect(stdout).toMatch(new RegExp(`${old.id} +turning +rotated, until 20`));
});

test('revokes the old key immediately on request', async () => {
  const next = await installation.json<Key>('keys', 'create', '--name', 'ending', '--preset', 'agent');
  const last = await installation.json<Key>('keys', 'rotate', next.id, '--overlap-seconds', '0');
  expect(last).toMatchObject({ name: 'ending', secret: expect.stringMatching(/^swb_/), replaced_by: null });
  expect(await rejectedSoon(String(next.secret))).toMatchObject({ failure: { code: 'auth.invalid_key' } });
});

test('revokes a key permanently; its first revocation time stays', async () => {
  const key = await installation.json<Key>('keys', 'create', '--name', 'short', '--preset', 'agent');
  expect(await identified(String(key.secret))).toMatchObject({ ok: true });
  const revoked = await installation.json<Key>('keys', 'revoke', key.id);
  expect(revoked.revoked_at).toMatch(/Z$/);
  expect(await rejectedSoon(String(key.secret))).toMatchObject({ failure: { code: 'auth.invalid_key' } });
  expect(await installation.json<Key>('keys', 'revoke', key.id)).toEqual(revoked);
});

test.each(['key_01kah3v5w8e2m6r9t0x4y7z1ab', 'nonsense'])('does not find the key %s', async (id) => {
  const { code, stdout, stderr } = await installation.run('keys', 'revoke', id);
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    'switchboard: There is no key with this id in your workspace.\n',
  ]);
});
