import { describe, expect, test } from '@jest/globals';
import { memorySocial, remoteAccount } from '../../testing/environment/memory-social.js';
import { grantOf, createTestEnvironment } from '../../testing/environment/test-environment.js';
import { refuse } from '../failure.js';
import type { DeliveryId } from '../ids.js';
import type { Manifest } from '../ports/index.js';
import { ok } from '../result.js';
import { deliver } from '../deliveries/deliver.js';
import { beginConnect } from './begin-connect.js';
import { completeConnect } from './complete-connect.js';
import type { ConnectSession } from './connect-session.js';
import type { Connection } from './connection.js';
import { credentialBinding } from './credential.js';
import { connectPageCall } from './open-connect.js';

async function scene(
  over: Partial<ConnectSession> = {},
  permissions: readonly string[] = [],
  manifest: Partial<Manifest> = {},
) {
  const social = memorySocial({ manifest: { permissions: { publishing: permissions }, ...manifest } });
  const it = await createTestEnvironment([social]);
  const session = it.build.connectSession(it.profile, over);
  await it.repositories.connectSessions.insert(session);
  const never = new AbortController().signal;
  const begin = async (browser = 'browser', connectMethod = 'oauth', answers = {}, of = session) =>
    beginConnect(it.ports, connectPageCall(of, 'req_1', never), {
      session: of,
      token: 'the link',
      platform: 'sandbox_social',
      connectMethod,
      fieldValues: answers,
      browser,
    });
  /** Begins the flow and returns the `state` sent to the platform. */
  const depart = async (browser?: string) => {
    const begun = await begin(browser);
    if (!begun.ok || begun.value.kind !== 'redirect') throw new Error('not sent to the platform');
    return new URL(begun.value.url).searchParams.get('state') ?? '';
  };
  const step = (state: string, browser = 'browser', platform = 'sandbox_social') =>
    completeConnect(
      it.ports,
      { platform, state, browser, parameters: { state } },
      { requestId: 'req_2', signal: never },
    );
  /** The state of the session after the callback. */
  const complete = async (state: string, browser?: string, platform?: string) => {
    const completed = await step(state, browser, platform);
    return completed.ok ? ok(completed.value.step.session) : completed;
  };
  const connections = () => it.repositories.connections.listAll(it.workspace.id, { reach: null });
  const tokenOf = async ({ id }: Connection) => {
    const credential = await it.repositories.credentials.find(it.workspace.id, id);
    const vault = await it.ports.vault.unlock(it.workspace.id);
    if (!credential || !vault.ok) throw new Error('no credential');
    const opened = vault.value.open(credentialBinding(id, credential.generation), credential.sealed);
    return opened.ok ? opened.value.reveal() : opened.failure.code;
  };
  return {
    ...it,
    social,
    session,
    begin,
    depart,
    complete,
    step,
    connections,
    tokenOf,
    ended: async () => it.repositories.connectSessions.find(it.workspace.id, session.id),
    eventTypes: () => it.events().map(({ type }) => type),
    audit: () => it.auditRows().map(({ action, outcome }) => `${action} ${outcome}`),
  };
}
const known = (id: string): Partial<Connection> => ({ account: remoteAccount(id) });

test('N24: a login with missing permissions is connected, has status degraded, and names what is missing', async () => {
  const it = await scene({}, ['post', 'read']);
  await it.complete(await it.depart());
  expect(await it.connections()).toMatchObject([
    {
      status: 'degraded',
      statusReason: expect.stringContaining('read') as unknown,
      grantedPermissions: ['post'],
    },
  ]);
  expect(it.eventTypes()).toEqual(['connection.connected', 'connection.degraded']);
  expect(it.events()[1]?.data).toMatchObject({ reason: 'permission_missing', missing_permissions: ['read'] });
});

test('a completed flow stores connection, sealed credential, event and audit row together', async () => {
  const it = await scene({ externalId: 'mine', metadata: { customer: '7' } });
  const completed = await it.complete(await it.depart());
  const [connection, ...others] = await it.connections();
  if (!connection) throw new Error('nothing connected');
  expect(others).toEqual([]);
  expect(completed).toMatchObject({ value: { status: 'connected', connectionIds: [connection.id] } });
  expect(await it.ended()).toMatchObject({ status: 'connected', connectionIds: [connection.id] });
  expect(connection).toMatchObject({
    profileId: it.profile.id,
    platform: 'sandbox_social',
    status: 'active',
    account: { id: 'ada' },
    externalId: 'mine',
    metadata: { customer: '7' },
    grantedPermissions: ['post'],
  });
  expect(await it.tokenOf(connection)).toBe('a token');
  expect([it.eventTypes(), it.audit()]).toEqual([['connection.connected'], ['connect ok']]);
  expect(it.revoked).toEqual([]);
});

test('the authorizer’s context is sealed for its own state', async () => {
  const it = await scene();
  const sealed: string[] = [];
  const unlock = it.ports.vault.unlock.bind(it.ports.vault);
  Object.assign(it.ports.vault, {
    unlock: async (id: never) => {
      const vault = await unlock(id);
      if (!vault.ok) return vault;
      return ok({
        ...vault.value,
        seal: (binding: never, secret: never) => {
          sealed.push(`${(binding as { table: string }).table} ${String(secret)}`);
          return vault.value.seal(binding, secret);
        },
      });
    },
  });
  await it.depart();
  expect(sealed).toEqual(['connect_flows [secret]']);
});

describe('a callback', () => {
  const nothing = { failure: { code: 'connect_session.not_found' } };

  test('is accepted only in the browser that started it, for its platform, and once', async () => {
    const it = await scene();
    const state = await it.depart();
    expect(await it.complete(state, 'another browser')).toMatchObject(nothing);
    expect(await it.complete('another state')).toMatchObject(nothing);
    expect(await it.complete(state)).toMatchObject({ value: { status: 'connected' } });
    expect(await it.complete(state)).toMatchObject(nothing);
    const other = await scene();
    expect(await other.complete(await other.depart(), 'browser', 'bluesky')).toMatchObject(nothing);
    expect(await other.connections()).toEqual([]);
  });

  test('of a flow that was restarted in the same browser is rejected', async () => {
    const it = await scene();
    const [first, second] = [await it.depart(), await it.depart()];
    expect(await it.complete(first)).toMatchObject(nothing);
    expect(await it.complete(second)).toMatchObject({ value: { status: 'connected' } });
  });

  test('more than 15 minutes after the start is rejected', async () => {
    const it = await scene();
    const state = await it.depart();
    it.clock.advance(15 * 60_000);
    expect(await it.complete(state)).toMatchObject(nothing);
  });

  test('of a session that was cancelled meanwhile exchanges nothing', async () => {
    const it = await scene();
    const state = await it.depart();
    await it.ports.transactions.run(async (tx) =>
      ok(
        await tx.connectSessions.end(it.session.id, { status: 'cancelled', error: null, connectionIds: [] }),
      ),
    );
    it.doors.meanwhile = () => Promise.reject(new Error('the code was exchanged'));
    expect(await it.complete(state)).toMatchObject(nothing);
  });

  test('of a session that expired meanwhile exchanges nothing and reports the expiry', async () => {
    const it = await scene({ expiresAt: new Date('2026-03-02T09:01:00Z') });
    const state = await it.depart();
    it.clock.advance(60_000);
    it.doors.meanwhile = () => Promise.reject(new Error('the code was exchanged'));
    const expired = { status: 'expired', error: { code: 'expired' } };
    expect(await it.complete(state)).toMatchObject({ value: expired });
    expect(await it.ended()).toMatchObject(expired);
    expect(await it.connections()).toEqual([]);
  });

  test('reports an unavailable vault, and the session continues', async () => {
    const it = await scene();
    const state = await it.depart();
    it.vault.available = false;
    expect(await it.complete(state)).toMatchObject({ failure: { code: 'vault.unavailable' } });
    it.vault.available = true;
    expect(await it.complete(await it.depart())).toMatchObject({ value: { status: 'connected' } });
  });
});

describe('an ending without an account', () => {
  test.each([
    ['connect.denied', 'denied'],
    ['connect.exchange_failed', 'exchange_failed'],
    ['platform.unavailable', 'exchange_failed'],
    ['platform.not_configured', 'exchange_failed'],
  ] as const)(
    'by %s fails the session with %s, is in the audit log, and stores nothing else',
    async (code, error) => {
      const it = await scene();
      it.doors.grantResult = refuse(code, 'No.');
      const failed = { status: 'failed', error: { code: error } };
      expect(await it.complete(await it.depart())).toMatchObject({ value: failed });
      expect(await it.ended()).toMatchObject(failed);
      expect([await it.connections(), it.eventTypes()]).toEqual([[], []]);
      expect(it.audit()).toEqual([`completeConnect ${code}`]);
    },
  );

  test('finding 20: reports an unreadable account with its own code, because waiting does not help', async () => {
    const it = await scene();
    it.social.accounts = refuse('platform.invalid_response', 'The account has no `id`.');
    expect(await it.complete(await it.depart())).toMatchObject({
      value: { status: 'failed', error: { code: 'account_unreadable' } },
    });
    expect(await it.connections()).toEqual([]);
  });

  test('reports a login without accounts', async () => {
    const it = await scene();
    it.social.accounts = ok([]);
    expect(await it.complete(await it.depart())).toMatchObject({
      value: { status: 'failed', error: { code: 'nothing_to_choose' } },
    });
  });
});

describe('the same account again', () => {
  test('keeps its connection, replaces its credential and releases blocked deliveries', async () => {
    const it = await scene();
    const before = await it.connect({ ...known('ada'), status: 'needs_reauth', label: 'Ours' });
    const post = it.build.post(it.profile, [before], {}, { status: 'blocked' });
    await it.repositories.posts.insert(post);
    it.doors.grantResult = ok(grantOf('a new token'));
    expect(await it.complete(await it.depart())).toMatchObject({ value: { connectionIds: [before.id] } });
    const [after, ...others] = await it.connections();
    if (!after) throw new Error('it is gone');
    expect(others).toEqual([]);
    expect(after).toMatchObject({ id: before.id, status: 'active', statusReason: null, label: 'Ours' });
    expect(await it.tokenOf(after)).toBe('a new token');
    expect(it.events()).toMatchObject([{ type: 'connection.restored', data: { reconnected: true } }]);
    expect(it.audit()).toEqual(['reconnect ok']);
    expect(await it.repositories.deliveries.listHistory(it.workspace.id, post.id)).toMatchObject([
      { kind: 'state', outcome: 'pending', actor: expect.any(String) },
    ]);
    expect(it.jobs().map(({ job }) => job)).toEqual([{ name: 'deliver', workspaceId: it.workspace.id }]);
    expect(await it.repositories.posts.find(it.workspace.id, post.id)).toMatchObject({
      deliveries: [{ status: 'pending' }],
    });
  });

  test('gives its credential a new generation, so that a concurrent refresh of the old one cannot overwrite it', async () => {
    const it = await scene();
    await it.complete(await it.depart());
    const [connection] = await it.connections();
    if (!connection) throw new Error('nothing connected');
    const again = it.build.connectSession(it.profile);
    await it.repositories.connectSessions.insert(again);
    const begun = await it.begin('browser', 'app_password', { handle: 'ada' }, again);
    expect(begun).toMatchObject({
      value: { kind: 'ended', session: { connectionIds: [connection.id] } },
    });
    expect(await it.repositories.credentials.find(it.workspace.id, connection.id)).toMatchObject({
      generation: 2,
    });
    expect(it.eventTypes()).toEqual(['connection.connected', 'connection.connected']);
  });

  test('in another profile is a separate connection', async () => {
    const it = await scene();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    await it.connect(known('ada'), other);
    await it.complete(await it.depart());
    expect(await it.connections()).toHaveLength(2);
  });
});

describe('reconnecting an account', () => {
  async function again(
    move: (it: Awaited<ReturnType<typeof scene>>, id: Connection['id']) => Promise<unknown>,
  ) {
    const it = await scene();
    const before = await it.connect({ ...known('ada'), status: 'needs_reauth' });
    const session = it.build.connectSession(it.profile, { reconnects: before.id });
    await it.repositories.connectSessions.insert(session);
    const begun = await it.begin('browser', 'oauth', {}, session);
    if (!begun.ok || begun.value.kind !== 'redirect') throw new Error('not sent to the platform');
    await move(it, before.id);
    const completed = await it.complete(new URL(begun.value.url).searchParams.get('state') ?? '');
    return { ...it, completed, before };
  }

  test('with another account is rejected, and that login is revoked', async () => {
    const it = await again(async (at) => {
      at.social.accounts = ok([remoteAccount('bob')]);
      at.doors.grantResult = ok(grantOf('token of bob'));
    });
    expect(it.completed).toMatchObject({ value: { status: 'failed', error: { code: 'wrong_account' } } });
    expect(await it.connections()).toMatchObject([{ id: it.before.id, status: 'needs_reauth' }]);
    expect(it.revoked).toEqual(['token of bob']);
  });

  test('with an account that is connected elsewhere is rejected, and that login is not revoked', async () => {
    const it = await again(async (at) => {
      at.social.accounts = ok([remoteAccount('bob')]);
      await at.connect(known('bob'));
    });
    expect(it.completed).toMatchObject({ value: { error: { code: 'wrong_account' } } });
    expect(it.revoked).toEqual([]);
  });

  test('finds it in the profile that it was moved to meanwhile', async () => {
    const it = await again(async (at, id) => {
      const other = at.build.profile(at.workspace);
      await at.repositories.profiles.insert(other);
      await at.repositories.connections.update(at.workspace.id, id, { profileId: other.id });
    });
    expect(it.completed).toMatchObject({ value: { status: 'connected', connectionIds: [it.before.id] } });
    expect(await it.connections()).toMatchObject([{ id: it.before.id, status: 'active' }]);
  });

  test('that was disconnected meanwhile does not restore it', async () => {
    const it = await again((at, id) => at.repositories.connections.delete(at.workspace.id, id));
    expect(it.completed).toMatchObject({ value: { status: 'failed', error: { code: 'exchange_failed' } } });
    expect(await it.connections()).toEqual([]);
    expect(it.revoked).toEqual(['a token']);
  });
});

describe('two tabs', () => {
  test('end one session with one connection, and the slower one sees the result', async () => {
    const it = await scene();
    const [slow, quick] = [await it.depart('one'), await it.depart('two')];
    let quickCompleted: unknown;
    it.doors.meanwhile = async () => {
      it.doors.meanwhile = null;
      it.doors.grantResult = ok(grantOf('quick'));
      quickCompleted = await it.complete(quick, 'two');
      it.doors.grantResult = ok(grantOf('slow'));
    };
    const slowCompleted = await it.complete(slow, 'one');
    const [connection, ...others] = await it.connections();
    if (!connection) throw new Error('nothing connected');
    expect(others).toEqual([]);
    const connected = { value: { status: 'connected', connectionIds: [connection.id] } };
    expect([quickCompleted, slowCompleted]).toMatchObject([connected, connected]);
    expect(await it.tokenOf(connection)).toBe('quick');
    // The platform may revoke all logins of an account at once, and the stored login is the same account's.
    expect(it.revoked).toEqual([]);
    expect(it.eventTypes()).toEqual(['connection.connected']);
  });

  test('with two accounts connect the first to finish, and the other login is revoked', async () => {
    const it = await scene();
    const [slow, quick] = [await it.depart('one'), await it.depart('two')];
    it.doors.meanwhile = async () => {
      it.doors.meanwhile = null;
      await it.complete(quick, 'two');
      it.social.accounts = ok([remoteAccount('bob')]);
      it.doors.grantResult = ok(grantOf('token of bob'));
    };
    expect(await it.complete(slow, 'one')).toMatchObject({ value: { status: 'connected' } });
    expect(await it.connections()).toMatchObject([{ account: { id: 'ada' } }]);
    expect(it.revoked).toEqual(['token of bob']);
  });
});

describe('beginning', () => {
  test('is rejected for a platform or method that the session does not offer', async () => {
    const it = await scene({ platforms: ['bluesky'] });
    expect(await it.begin()).toMatchObject({ failure: { code: 'platform.not_found' } });
    const other = await scene();
    expect(await other.begin('browser', 'nonsense')).toMatchObject({
      failure: { code: 'platform.not_found' },
    });
  });

  test('requires the form fields before the platform is called', async () => {
    const it = await scene();
    it.doors.meanwhile = () => Promise.reject(new Error('the platform was called'));
    expect(await it.begin('browser', 'app_password', { handle: ' ' })).toMatchObject({
      failure: { code: 'connect.answer_invalid', problems: [{ path: 'handle' }] },
    });
  });

  test('with a form connects at once', async () => {
    const it = await scene();
    expect(await it.begin('browser', 'app_password', { handle: 'ada' })).toMatchObject({
      value: { kind: 'ended', session: { status: 'connected' } },
    });
    expect(await it.connections()).toMatchObject([{ connectMethod: 'app_password' }]);
  });

  test('with wrong form values leaves the session open for another attempt', async () => {
    const it = await scene();
    it.doors.grantResult = refuse('connect.answer_invalid', 'Wrong password.');
    expect(await it.begin('browser', 'app_password', { handle: 'ada' })).toMatchObject({
      failure: { code: 'connect.answer_invalid' },
    });
    expect(await it.ended()).toMatchObject({ status: 'pending' });
  });

  test.each([
    ['expired', { expiresAt: new Date('2026-03-02T08:00:00Z') }],
    ['cancelled', { status: 'cancelled' }],
    ['connected', { status: 'connected' }],
  ] as const)('a session that is %s calls no platform and connects nothing', async (_how, over) => {
    const it = await scene(over);
    it.doors.meanwhile = () => Promise.reject(new Error('the platform was called'));
    for (const connectMethod of ['oauth', 'app_password']) {
      expect(await it.begin('browser', connectMethod, { handle: 'ada' })).toMatchObject({
        failure: { code: 'connect_session.not_found' },
      });
    }
    expect(await it.connections()).toEqual([]);
  });

  test('twice in two tabs with a form connects once, and revokes no login in use', async () => {
    const it = await scene();
    const begun = await Promise.all([1, 2].map(() => it.begin('browser', 'app_password', { handle: 'ada' })));
    expect(begun.map(({ ok: isOk }) => isOk).sort()).toEqual([false, true]);
    expect(await it.connections()).toHaveLength(1);
    expect(it.revoked).toEqual([]);
  });
});

describe('finding 22: two servers that issue the same account id', () => {
  const servers = ['https://one.example', 'https://two.example'] as const;
  async function atBoth(accountIds?: 'global') {
    const it = await scene({}, [], { baseUrl: null, accountIds });
    const connectAt = async (server: string, over: Partial<ConnectSession> = {}) => {
      it.doors.grantResult = ok(grantOf(`token of ${server}`, server));
      const session = it.build.connectSession(it.profile, over);
      await it.repositories.connectSessions.insert(session);
      const begun = await it.begin('browser', 'oauth', {}, session);
      if (!begun.ok || begun.value.kind !== 'redirect') throw new Error('not sent to the platform');
      return it.complete(new URL(begun.value.url).searchParams.get('state') ?? '');
    };
    return { ...it, connectAt };
  }

  test('are separate accounts, and a scheduled post is published at its own', async () => {
    const it = await atBoth();
    await it.connectAt(servers[0]);
    const [first] = await it.connections();
    if (!first) throw new Error('nothing connected');
    const post = it.build.post(it.profile, [first], {}, { notAfter: it.clock.after(60_000) });
    await it.repositories.posts.insert(post);
    await it.connectAt(servers[1]);
    expect(await it.connections()).toMatchObject([
      { id: first.id, server: servers[0], accountServer: 'one.example', account: { id: 'ada' } },
      { server: servers[1], accountServer: 'two.example', account: { id: 'ada' } },
    ]);
    const deliveryId = post.deliveries[0]?.id as DeliveryId;
    await deliver(it.ports, { workspaceId: it.workspace.id, deliveryId }, new AbortController().signal);
    expect(it.social.servers).toEqual([servers[0]]);
    expect(await it.tokenOf(first)).toBe(`token of ${servers[0]}`);
  });

  test('stay separate when one of them is reconnected, also over HTTPS', async () => {
    const it = await atBoth();
    await it.connectAt('http://one.example');
    const [first] = await it.connections();
    if (!first) throw new Error('nothing connected');
    const wrong = await it.connectAt(servers[1], { reconnects: first.id });
    expect(wrong).toMatchObject({ value: { error: { code: 'wrong_account' } } });
    expect(it.revoked).toEqual([`token of ${servers[1]}`]);
    const right = await it.connectAt(servers[0], { reconnects: first.id });
    expect(right).toMatchObject({ value: { status: 'connected', connectionIds: [first.id] } });
    expect(await it.connections()).toMatchObject([{ id: first.id, server: servers[0] }]);
  });

  test('are one account where the platform’s ids are globally unique, and the connection moves', async () => {
    const it = await atBoth('global');
    await it.connectAt(servers[0]);
    await it.connectAt(servers[1]);
    expect(await it.connections()).toMatchObject([{ server: servers[1], accountServer: '' }]);
  });
});
