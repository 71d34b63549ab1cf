import { describe, expect, test } from '@jest/globals';
import { memorySocial, remoteAccount } from '../../testing/environment/memory-social.js';
import { grantOf, createTestEnvironment } from '../../testing/environment/test-environment.js';
import { refuse } from '../failure.js';
import type { FoundAccount, Ports, Transactions, Tx } from '../ports/index.js';
import { ok } from '../result.js';
import { Secret } from '../secret.js';
import type { Connection } from './connection.js';
import { beginConnect } from './begin-connect.js';
import { chooseAccounts } from './choose-accounts.js';
import { completeConnect } from './complete-connect.js';
import type { ConnectSession } from './connect-session.js';
import { credentialBinding } from './credential.js';
import { abandonChoice } from './abandon-choice.js';
import { finishConnect } from './finish-connect.js';
import { getConnectSession } from './get-connect-session.js';
import { connectPageCall, openConnect } from './open-connect.js';
import { sweepChoices } from './sweep-choices.js';

const TOKEN = 'the link';
const DAY_MS = 86_400_000;

/** A link in a browser, with which several accounts or platforms may be connected. */
async function scene(over: Partial<ConnectSession> = {}, accounts: readonly FoundAccount[] = pages()) {
  const social = memorySocial();
  const it = await createTestEnvironment([social, memorySocial({ id: 'bluesky' })]);
  social.accounts = ok(accounts);
  const session = it.build.connectSession(it.profile, { tokenHash: it.ports.tokens.digest(TOKEN), ...over });
  await it.repositories.connectSessions.insert(session);
  const { signal } = new AbortController();
  const call = connectPageCall(session, 'req_1', signal);
  const current = async () => {
    const opened = await openConnect(it.ports, TOKEN, 'browser');
    if (!opened.ok) throw new Error('the link is gone');
    return opened.value;
  };
  /** To the platform; the returned function comes back. */
  async function begin(platform = 'sandbox_social', browser = 'browser') {
    const { session: of } = await current();
    const begun = await beginConnect(it.ports, call, {
      session: of,
      token: TOKEN,
      platform,
      connectMethod: 'oauth',
      fieldValues: {},
      browser,
    });
    if (!begun.ok || begun.value.kind !== 'redirect') throw new Error('not sent to the platform');
    const state = new URL(begun.value.url).searchParams.get('state') ?? '';
    const request = { requestId: 'req_2', signal };
    return async () => {
      const completed = await completeConnect(
        it.ports,
        { platform, state, browser, parameters: { state } },
        request,
      );
      if (!completed.ok) throw new Error(completed.failure.code);
      return completed.value;
    };
  }
  return {
    ...it,
    social,
    session,
    current,
    begin,
    /** To the platform and back. */
    login: async (...of: Parameters<typeof begin>) => (await begin(...of))(),
    readStatus: async () => (await current()).session.status,
    async choose(accountIds: readonly string[], over: { browser?: string; choiceId?: string } = {}) {
      const { choice, session: of } = await current();
      const command = { session: of, choiceId: choice?.id ?? '', browser: 'browser', accountIds, ...over };
      return chooseAccounts(it.ports, call, command);
    },
    connections: () => it.repositories.connections.listAll(it.workspace.id, { reach: null }),
    stored: () => it.repositories.connectSessions.find(it.workspace.id, session.id),
    sweep: () => sweepChoices(it.ports, signal),
    async tokens() {
      const vault = await it.ports.vault.unlock(it.workspace.id);
      const rows = await it.repositories.connections.listAll(it.workspace.id, { reach: null });
      return Promise.all(
        rows.map(async ({ id }) => {
          const sealed = await it.repositories.credentials.find(it.workspace.id, id);
          if (!sealed || !vault.ok) throw new Error('no credential');
          const opened = vault.value.open(credentialBinding(id, sealed.generation), sealed.sealed);
          return opened.ok ? opened.value.reveal() : opened.failure.code;
        }),
      );
    },
  };
}

const pages = (): FoundAccount[] => ['ada', 'bob', 'cleo'].map(remoteAccount);
const withOwnTokens = () =>
  pages().map((account) => ({ ...account, credential: new Secret(`token of ${account.id}`) }));

describe('a login that opens several accounts', () => {
  test('stores each with the permissions that the platform reports for it, else with the login’s', async () => {
    const [ada, bob] = pages();
    if (!ada || !bob) throw new Error('missing accounts');
    const it = await scene({}, [{ ...ada, permissions: ['read'] }, bob]);
    await it.login();
    await it.choose(['ada', 'bob']);
    const [first, second] = await it.connections();
    expect(first?.grantedPermissions).toEqual(['read']);
    expect(second?.grantedPermissions).toEqual(grantOf('').permissions);
    expect(JSON.stringify(first?.account)).not.toContain('permissions');
  });

  test('stores nothing until its owner has selected, then only the selection', async () => {
    const it = await scene();
    const { token, step } = await it.login();
    expect([token, step.kind]).toEqual([TOKEN, 'choose']);
    expect(await it.connections()).toEqual([]);
    expect(await it.stored()).toMatchObject({ status: 'pending' });
    expect((await it.current()).choice?.accounts.map(({ account }) => account.id)).toEqual([
      'ada',
      'bob',
      'cleo',
    ]);
    const chosen = await it.choose(['ada', 'cleo', 'unknown']);
    const connections = await it.connections();
    expect(connections.map(({ account }) => account.id)).toEqual(['ada', 'cleo']);
    const connectionIds = connections.map(({ id }) => id);
    expect(chosen).toMatchObject({
      value: { kind: 'ended', session: { status: 'connected', connectionIds } },
    });
    expect(await it.tokens()).toEqual(['a token', 'a token']);
    expect(it.events().map(({ type }) => type)).toEqual(['connection.connected', 'connection.connected']);
    await it.sweep();
    expect(it.revoked).toEqual([]);
  });

  test('stores account-specific tokens, and shows none of them', async () => {
    const it = await scene({}, withOwnTokens());
    await it.login();
    await it.choose(['bob', 'cleo']);
    expect(await it.tokens()).toEqual(['token of bob', 'token of cleo']);
    expect(JSON.stringify([await it.connections(), it.events(), it.auditRows()])).not.toMatch(/credential/);
  });

  test('stores an account-specific token of a single account at once', async () => {
    const it = await scene({}, withOwnTokens().slice(0, 1));
    expect((await it.login()).step.kind).toBe('ended');
    expect(await it.tokens()).toEqual(['token of ada']);
  });

  test('marks accounts that the profile already has, and reconnects them when selected', async () => {
    const it = await scene();
    const before = await it.connect({ account: remoteAccount('bob') });
    await it.login();
    expect((await it.current()).choice?.accounts.map(({ connected }) => connected)).toEqual([
      false,
      true,
      false,
    ]);
    expect(await it.choose(['bob'])).toMatchObject({ value: { session: { connectionIds: [before.id] } } });
    expect(await it.connections()).toHaveLength(1);
  });

  test('takes the same number of database queries for three accounts as for three hundred', async () => {
    const questions = async (opened: number) => {
      const it = await scene(
        {},
        Array.from({ length: opened }, (_, n) => remoteAccount(`page-${n}`)),
      );
      await it.login();
      let asked = 0;
      const counted = Object.entries(it.ports.connections).map(([name, ask]) => [
        name,
        (...of: never[]) => {
          asked += 1;
          return (ask as (...of: never[]) => unknown)(...of);
        },
      ]);
      Object.assign(it.ports, { connections: Object.fromEntries(counted) as Ports['connections'] });
      expect((await it.current()).choice?.accounts).toHaveLength(opened);
      return asked;
    };
    expect(await questions(300)).toBe(await questions(3));
  });

  test('can be answered once, in the browser that logged in, on the page that is shown', async () => {
    const it = await scene();
    await it.login();
    const gone = { failure: { code: 'connect_session.not_found' } };
    expect(await it.choose(['ada'], { browser: 'another' })).toMatchObject(gone);
    expect(await it.choose(['ada'], { choiceId: 'cch_of_before' })).toMatchObject(gone);
    expect(await it.connections()).toEqual([]);
    const twice = await Promise.all([it.choose(['ada']), it.choose(['bob'])]);
    expect(twice.map((one) => one.ok).sort()).toEqual([false, true]);
    expect(await it.connections()).toHaveLength(1);
  });

  test('repeats the choice when nothing or too much was selected', async () => {
    const it = await scene({ maxConnections: 2 });
    await it.login();
    const refused = { failure: { code: 'connect.choice_invalid' } };
    expect(await it.choose([])).toMatchObject(refused);
    expect(await it.choose(['ada', 'bob', 'cleo'])).toMatchObject({
      failure: { code: 'connect.choice_invalid', details: { at_most: 2 } },
    });
    expect(await it.connections()).toEqual([]);
    expect(await it.choose(['ada', 'bob'])).toMatchObject({ value: { kind: 'ended' } });
  });

  test('selects the account to reconnect by itself, and reports another login', async () => {
    const it = await scene();
    const bob = await it.connect({ account: remoteAccount('bob'), status: 'needs_reauth' });
    const of = { reconnects: bob.id };
    const again = it.build.connectSession(it.profile, {
      ...of,
      tokenHash: it.ports.tokens.digest('again'),
    });
    await it.repositories.connectSessions.insert(again);
    const trip = async () => {
      const call = connectPageCall(again, 'req_1', new AbortController().signal);
      const begun = await beginConnect(it.ports, call, {
        session: again,
        token: 'again',
        platform: 'sandbox_social',
        connectMethod: 'app_password',
        fieldValues: { handle: 'x' },
        browser: 'browser',
      });
      return begun.ok ? begun.value.kind : begun.failure.code;
    };
    it.social.accounts = ok([remoteAccount('ada'), remoteAccount('cleo')]);
    expect(await trip()).toBe('connect.wrong_account');
    it.social.accounts = ok(pages());
    expect(await trip()).toBe('ended');
    expect(await it.connections()).toMatchObject([{ id: bob.id, status: 'active' }]);
  });
});

describe('an abandoned choice', () => {
  test.each([
    ['because the link expired', (it: Scene) => it.clock.advance(31 * 60_000)],
    ['because none of the accounts was meant', (it: Scene) => none(it)],
    ['because the person went back', (it: Scene) => finishConnect(it.ports, it.session)],
    ['because another login in this browser took its place', (it: Scene) => it.login()],
  ])('%s is deleted, and its login is revoked once', async (_why, leave) => {
    const it = await scene();
    it.doors.grantResult = ok(grantOf('the first login'));
    await it.login();
    const before = (await it.current()).choice?.id;
    await it.sweep();
    expect(it.revoked).toEqual([]);
    it.doors.grantResult = ok(grantOf('another login'));
    await Promise.resolve(leave(it));
    expect(await it.choose(['ada'], { choiceId: before ?? '' })).toMatchObject({ ok: false });
    await it.sweep();
    await it.sweep();
    expect(it.revoked).toEqual(['the first login']);
  });

  test('is not the current one when the abandoning page is outdated', async () => {
    const it = await scene();
    await it.login();
    const before = (await it.current()).choice?.id;
    await it.login();
    await none(it, before);
    const now = (await it.current()).choice?.id;
    expect([now !== undefined, now === before]).toEqual([true, false]);
  });

  test('is not revoked if a selection follows after the sweep read it', async () => {
    const it = await scene();
    await it.login();
    it.clock.advance(31 * 60_000);
    const seen = await it.repositories.connectSessions.listAbandonedChoices(9);
    for (const { id } of seen) await it.repositories.connectSessions.deleteChoice(id);
    const listAbandonedChoices = async () => seen;
    Object.assign(it.ports, { connectSessions: { ...it.ports.connectSessions, listAbandonedChoices } });
    await it.sweep();
    expect([seen.length, it.revoked]).toEqual([1, []]);
  });

  test('is revoked even if the revocation of another one fails', async () => {
    const it = await scene();
    for (const browser of ['one', 'two', 'three']) {
      it.doors.grantResult = ok(grantOf(`login of ${browser}`));
      await it.login('sandbox_social', browser);
    }
    it.clock.advance(31 * 60_000);
    const { revoke } = it.ports.authorizers;
    const troubled: Ports['authorizers']['revoke'] = async (request) => {
      if (request.credential.reveal() === 'login of one') throw new Error('trouble');
      return revoke(request);
    };
    Object.assign(it.ports.authorizers, { revoke: troubled });
    await expect(it.sweep()).rejects.toThrow('1 items failed');
    expect(it.revoked.sort()).toEqual(['login of three', 'login of two']);
    it.clock.advance(DAY_MS);
    await expect(it.sweep()).rejects.toThrow();
    expect(await it.repositories.connectSessions.listAbandonedChoices(9)).toEqual([]);
  });

  test('is not revoked when one of its accounts is connected', async () => {
    const it = await scene();
    await it.connect({ account: remoteAccount('cleo') });
    await it.login();
    it.clock.advance(DAY_MS);
    await it.sweep();
    expect(it.revoked).toEqual([]);
    expect(await it.repositories.connectSessions.listAbandonedChoices(9)).toEqual([]);
  });

  test('is retried while the platform is unavailable, for a day', async () => {
    const it = await scene();
    await it.login();
    it.clock.advance(3_600_000);
    Object.assign(it.ports.authorizers, { revoke: async () => refuse('platform.unavailable', 'Later.') });
    await it.sweep();
    expect(await it.repositories.connectSessions.listAbandonedChoices(9)).toHaveLength(1);
    it.clock.advance(DAY_MS);
    await it.sweep();
    expect(await it.repositories.connectSessions.listAbandonedChoices(9)).toEqual([]);
  });
});

type Scene = Awaited<ReturnType<typeof scene>>;

async function none(it: Scene, choiceId?: string): Promise<void> {
  await abandonChoice(it.ports, it.session, 'browser', choiceId ?? (await it.current()).choice?.id ?? '');
}

describe('a link for several accounts', () => {
  const several = { platforms: ['sandbox_social', 'bluesky'] };
  const one = () => [remoteAccount('ada')];

  test('continues after each login, lists its connections, and ends when the person finishes', async () => {
    const it = await scene(several, one());
    expect((await it.login()).step.kind).toBe('continues');
    const [first] = await it.connections();
    expect(await it.stored()).toMatchObject({ status: 'pending', connectionIds: [first?.id] });
    expect((await it.current()).connections).toMatchObject([{ id: first?.id }]);
    expect((await it.login('bluesky')).step.kind).toBe('continues');
    const both = (await it.connections()).map(({ id }) => id);
    expect(await finishConnect(it.ports, it.session)).toMatchObject({
      status: 'connected',
      connectionIds: both,
    });
    expect(await finishConnect(it.ports, it.session)).toMatchObject({ connectionIds: both });
  });

  test('ends at its maximum, and counts the same account once', async () => {
    const it = await scene({ platforms: ['sandbox_social'], maxConnections: 2 }, one());
    for (const kind of ['continues', 'continues']) expect((await it.login()).step.kind).toBe(kind);
    it.social.accounts = ok([remoteAccount('bob')]);
    expect((await it.login()).step.kind).toBe('ended');
    expect(await it.stored()).toMatchObject({ status: 'connected', error: null });
    expect((await it.stored())?.connectionIds).toHaveLength(2);
  });

  test('ends with the first login when only one account may be connected', async () => {
    const it = await scene({ ...several, maxConnections: 1 }, one());
    expect((await it.login()).step.kind).toBe('ended');
  });

  test('finding 50: is connected five minutes after its last account, unless another login has begun', async () => {
    const platforms = ['sandbox_social', 'bluesky'];
    const it = await scene({ platforms }, [remoteAccount('ada')]);
    await it.login();
    it.clock.advance(4 * 60_000);
    expect(await it.readStatus()).toBe('pending');
    it.clock.advance(61_000);
    expect(await it.readStatus()).toBe('connected');

    const again = await scene({ platforms }, [remoteAccount('ada')]);
    await again.login();
    const returning = await again.begin('bluesky');
    again.clock.advance(10 * 60_000);
    expect(await again.readStatus()).toBe('pending');
    await returning();
    expect(await again.readStatus()).toBe('pending');
    again.clock.advance(301_000);
    expect(await again.readStatus()).toBe('connected');
  });

  test('continues with its connections after a refusal, and the refusal is in the audit log', async () => {
    const it = await scene(several, one());
    it.doors.grantResult = refuse('connect.denied', 'No.');
    expect((await it.login()).step).toMatchObject({ kind: 'refused', error: 'denied' });
    it.doors.grantResult = ok(grantOf('a token'));
    await it.login();
    it.doors.grantResult = refuse('connect.denied', 'No.');
    expect((await it.login('bluesky')).step).toMatchObject({ kind: 'refused', error: 'denied' });
    expect(await it.stored()).toMatchObject({ status: 'pending', error: null });
    expect((await it.stored())?.connectionIds).toHaveLength(1);
    expect(it.auditRows().map(({ outcome }) => outcome)).toEqual(['connect.denied', 'ok', 'connect.denied']);
  });

  test('is completed on expiry if an account is connected, otherwise expired', async () => {
    for (const [logins, status] of [
      [1, 'connected'],
      [0, 'expired'],
    ] as const) {
      const it = await scene(several, one());
      for (let made = 0; made < logins; made++) await it.login();
      it.clock.advance(31 * 60_000);
      const read = await getConnectSession(it.ports, it.call(), { id: it.session.id });
      expect(read).toMatchObject({ value: { status } });
      expect(await finishConnect(it.ports, it.session)).toMatchObject({ status });
    }
  });

  test('keeps what two tabs connected concurrently', async () => {
    const it = await scene(several, one());
    await Promise.all([it.login('sandbox_social', 'one'), it.login('bluesky', 'two')]);
    expect((await it.stored())?.connectionIds).toHaveLength(2);
  });
});

/** Runs a change between finding the connection of an account and writing to it. */
function meanwhile(it: Scene, change: (tx: Tx, found: Connection) => Promise<unknown>): void {
  const { run } = it.ports.transactions;
  const transactions: Transactions = {
    run: (work) =>
      run((tx) => {
        const findByAccount: Tx['connections']['findByAccount'] = async (...of) => {
          const found = await tx.connections.findByAccount(...of);
          if (found) await change(tx, found);
          return found;
        };
        return work({ ...tx, connections: { ...tx.connections, findByAccount } });
      }),
  };
  Object.assign(it.ports, { transactions });
}

describe('an account that the profile already has', () => {
  test.each([
    ['disconnected', (tx: Tx, { workspaceId, id }: Connection) => tx.connections.delete(workspaceId, id)],
    [
      'moved to another profile',
      async (tx: Tx, { workspaceId, id, profileId }: Connection) => {
        const all = await tx.profiles.list(workspaceId, { reach: null }, { limit: 9 });
        const other = all.items.find((one) => one.id !== profileId);
        return tx.connections.update(workspaceId, id, { profileId: other!.id });
      },
    ],
  ])('is connected anew when it was %s meanwhile', async (_what, change) => {
    const it = await scene({}, [remoteAccount('ada')]);
    await it.repositories.profiles.insert(it.build.profile(it.workspace));
    const before = await it.connect({ account: remoteAccount('ada') });
    meanwhile(it, change);
    const { step } = await it.login();
    const [id] = step.session.connectionIds;
    expect(step.session.connectionIds).toHaveLength(1);
    expect(id).not.toBe(before.id);
    const now = await it.repositories.connections.find(it.workspace.id, id!);
    expect(now).toMatchObject({ profileId: it.profile.id, account: { id: 'ada' } });
    expect(await it.repositories.credentials.find(it.workspace.id, before.id)).toBeNull();
  });
});

describe('an unsuccessful login', () => {
  const away = refuse('platform.unavailable', 'Later.');

  test('is revoked when its accounts cannot be read', async () => {
    const it = await scene();
    it.social.accounts = away;
    expect((await it.login()).step).toMatchObject({ session: { status: 'failed' } });
    expect(it.revoked).toEqual(['a token']);
  });

  test('is not revoked when it may share an unknown account with a connection', async () => {
    const it = await scene();
    await it.connect({ account: remoteAccount('ada') });
    it.social.accounts = away;
    await it.login();
    expect(it.revoked).toEqual([]);
  });

  test('is revoked when the vault is unavailable for storing it', async () => {
    const it = await scene();
    it.doors.meanwhile = async () => {
      it.vault.available = false;
    };
    expect((await it.login()).step).toMatchObject({ session: { status: 'failed' } });
    expect(it.revoked).toEqual(['a token']);
  });
});

test('a login that returns after the link expired keeps what another tab just connected', async () => {
  const it = await scene({ platforms: ['sandbox_social', 'bluesky'] }, [remoteAccount('ada')]);
  const { id: connected } = await it.connect({ account: remoteAccount('bob') });
  const { find } = it.ports.connectSessions;
  const stale: Ports['connectSessions']['find'] = async (...of) => {
    const read = await find(...of);
    const { expiresAt } = it.session;
    await it.repositories.connectSessions.extend(it.session.id, { connectionIds: [connected], expiresAt });
    it.clock.advance(31 * 60_000);
    return read;
  };
  Object.assign(it.ports, { connectSessions: { ...it.ports.connectSessions, find: stale } });
  const { step } = await it.login();
  expect(step.session.connectionIds).toEqual([connected]);
  expect(await it.stored()).toMatchObject({ status: 'connected', connectionIds: [connected] });
});
