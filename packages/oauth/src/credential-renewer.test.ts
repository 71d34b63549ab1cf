import { beforeEach, expect, test } from '@jest/globals';
import { failure, LEASE_SECONDS, ok, type Call, Secret } from '@switchboard/domain';
import { disconnect, type Connection } from '@switchboard/domain/connections';
import type { Pause } from '@switchboard/domain/pauses';
import { builders } from '@switchboard/domain/testing';
import type { TokenRenewalResult, AuthScheme } from './auth-scheme.js';
import {
  createTestStore,
  type TestStore,
  createManifests,
  unencryptedVault,
} from './testing/create-test-store.js';
import type { Manifest } from '@switchboard/domain/ports';
import { openCredential } from './open-credential.js';
import { credentialRenewer, type RenewalOutcome } from './credential-renewer.js';
import { manifest, connectMethod, workspaceId } from './testing/open-sandbox-fixture.js';

const HOUR_MS = 3_600_000;

/** An authorization server that returns the scripted renewals and counts them. */
function scriptedScheme(store: TestStore) {
  const requestedTokens: string[] = [];
  const plannedResults: (TokenRenewalResult | 'new' | Promise<TokenRenewalResult | void>)[] = [];
  let issued = 1;

  const createRenewal = (token: string, permissions: readonly string[] = ['post']): TokenRenewalResult => ({
    kind: 'renewed',
    credential: new Secret(`${token} ${store.clock.now().getTime()}`),
    accessExpiresAt: store.clock.after(HOUR_MS),
    permissions,
  });
  const scheme: AuthScheme = {
    open(credential) {
      const obtainedAt = new Date(Number(credential.reveal().split(' ')[1]));
      return {
        subject: null,
        obtainedAt,
        isRenewable: true,
        accessExpiresAt: new Date(obtainedAt.getTime() + HOUR_MS),
        send: () => Promise.reject(new Error('nothing is sent here')),
        isCredentialRejected: () => false,
      };
    },
    async renew({ credential }) {
      requestedTokens.push(credential.reveal().split(' ')[0] ?? '');
      const plannedResult = plannedResults.shift() ?? 'new';
      const next = createRenewal(`token-${++issued}`);
      const answer = (await plannedResult) ?? 'new';
      return answer === 'new' ? next : answer;
    },
    revoke: () => Promise.reject(new Error('nothing is revoked here')),
  };

  const outcomes: RenewalOutcome[] = [];
  const { permissions: _, ...plain } = manifest;
  const facts = { ...plain, permissions: { publishing: ['post'] } } as Manifest;
  const open = openCredential({ credentials: store.credentials, vault: unencryptedVault });
  /** One process: several share one store as they would share a database. */
  const process = () => {
    const renew = credentialRenewer({
      connections: store.connections,
      transactions: store.transactions,
      clock: store.clock,
      ids: store.ids,
      manifests: createManifests(facts),
      open,
      onRenewal: (_platform, outcome) => void outcomes.push(outcome),
    });
    return async (connection: Connection, seen: number, urgency: 'soon' | 'ended' | 'refused') => {
      const opened = await renew({ connection, manifest: facts, connectMethod, scheme }, seen, urgency);
      return opened.ok ? opened.value.secret.reveal().split(' ')[0] : opened.failure;
    };
  };

  return {
    /** The tokens whose renewal was requested. */
    asked: requestedTokens,
    /** The next responses, in order; a promise delays one. Without an entry it issues a new token. */
    answers: plannedResults,
    outcomes,
    granted: createRenewal,
    over: { kind: 'over' } as TokenRenewalResult,
    down: (unsettled = false, retryAfterSeconds?: number): TokenRenewalResult => ({
      kind: 'failed',
      failure: failure('platform.unavailable', 'down', { retryAfterSeconds }),
      unsettled,
    }),
    process,
    async connect(over: Partial<Connection> = {}): Promise<Connection> {
      const connection = {
        id: store.ids.next('con'),
        workspaceId,
        profileId: 'prf_test',
        platform: facts.id,
        version: 1,
        account: { id: `a-${issued}`, username: 'ada', name: null, avatarUrl: null, url: null },
        server: null,
        connectMethod: connectMethod.id,
        grantedPermissions: ['post'],
        refusedPermissions: [],
        status: 'active',
        statusReason: null,
        expiresAt: null,
        warnedDays: null,
        appMissing: false,
        watchOrders: false,
        ...over,
      } as unknown as Connection;
      const credential = new Secret(`token-1 ${store.clock.now().getTime()}`);
      await store.storeConnection(connection, credential, store.clock.after(HOUR_MS));
      return connection;
    },
  };
}

let store: TestStore;
let server: ReturnType<typeof scriptedScheme>;
let connection: Connection;
beforeEach(async () => {
  store = createTestStore();
  server = scriptedScheme(store);
  connection = await server.connect();
});

const types = () => store.events.map(({ type }) => type);
const standing = async () => {
  const found = await store.connections.find(connection.workspaceId, connection.id);
  return found && { status: found.status, permissions: found.grantedPermissions };
};
/** Blocks the next process that starts a transaction; `goOn` releases it. */
function blockAtTransaction(): { reached: Promise<void>; goOn: () => void } {
  const stop = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<undefined>();
  store.database.ask = () => {
    store.database.ask = () => undefined;
    reached.resolve(undefined);
    return stop.promise;
  };
  return { reached: reached.promise, goOn: () => stop.resolve(undefined) };
}
/** Resolves when the next transaction, such as a heartbeat, has ended. */
const nextTransaction = () =>
  new Promise<void>((resolve) => {
    store.database.answer = () => {
      store.database.answer = () => undefined;
      resolve();
    };
  });
/** Simulates a process that receives the server's response and never reaches the database. */
async function stopAfterAnswer(urgency: 'soon' | 'ended' = 'soon') {
  const answer = Promise.withResolvers<void>();
  server.answers.push(answer.promise);
  const flight = server.process()(connection, 1, urgency);
  while (server.asked.length === 0) await store.clock.sleep(1);
  const stop = blockAtTransaction();
  answer.resolve();
  await stop.reached;
  return { flight, goOn: stop.goOn };
}

test('a crash between receipt and storage loses nothing: the next process finds the received token', async () => {
  const flight = await stopAfterAnswer();
  const second = blockAtTransaction();
  flight.goOn();
  await second.reached;
  expect(await server.process()(connection, 1, 'ended')).toBe('token-2');
  expect(server.asked).toEqual(['token-1']);
  expect(server.outcomes).toEqual(['recovered']);
});

test('a process that sleeps past its lease still stores the only valid token, and no other process sends a request meanwhile', async () => {
  const sleeper = await stopAfterAnswer();
  store.clock.advance(LEASE_SECONDS + 1);
  expect(await server.process()(connection, 1, 'soon')).toMatchObject({ code: 'platform.unavailable' });
  expect(server.asked).toHaveLength(1);
  sleeper.goOn();
  expect(await sleeper.flight).toBe('token-2');
  for (const [seen, token] of [
    [2, 'token-3'],
    [3, 'token-4'],
    [4, 'token-5'],
  ] as const) {
    expect(await server.process()(connection, seen, 'soon')).toBe(token);
  }
  expect(server.asked).toEqual(['token-1', 'token-2', 'token-3', 'token-4']);
});

test('a token endpoint that answers after longer than a lease is asked once', async () => {
  const answer = Promise.withResolvers<void>();
  server.answers.push(answer.promise);
  const first = server.process()(connection, 1, 'refused');
  while (server.asked.length === 0) await store.clock.sleep(1);
  store.clock.advance(LEASE_SECONDS - 4);
  await nextTransaction();
  store.clock.advance(LEASE_SECONDS - 4);
  const second = server.process()(connection, 1, 'refused');
  await store.clock.sleep(300);
  expect(server.asked).toEqual(['token-1']);
  answer.resolve();
  expect(await Promise.all([first, second])).toEqual(['token-2', 'token-2']);
  expect(server.asked).toEqual(['token-1']);
}, 30_000);

test('a token endpoint that never answers does not keep the lease', async () => {
  server.answers.push(new Promise(() => undefined));
  void server.process()(connection, 1, 'refused');
  while (server.asked.length === 0) await store.clock.sleep(1);
  store.clock.advance(120);
  await store.clock.sleep(3500);
  expect(await server.process()(connection, 1, 'refused')).toBe('token-3');
  expect(server.asked).toEqual(['token-1', 'token-1']);
}, 30_000);

test('a rejection that arrives after another process has taken over the lease does not end the grant', async () => {
  const [late, current] = [Promise.withResolvers<TokenRenewalResult>(), Promise.withResolvers<void>()];
  server.answers.push(late.promise, current.promise);
  const sleeper = server.process()(connection, 1, 'refused');
  while (server.asked.length === 0) await store.clock.sleep(1);
  store.clock.advance(LEASE_SECONDS + 1);
  const holder = server.process()(connection, 1, 'refused');
  while (server.asked.length === 1) await store.clock.sleep(1);
  late.resolve(server.over);
  await store.clock.sleep(50);
  expect([types(), (await standing())?.status]).toEqual([[], 'active']);
  current.resolve();
  expect(await Promise.all([sleeper, holder])).toEqual(['token-3', 'token-3']);
  expect(types()).toEqual([]);
});

test('a process that is suspended between its claim and its request does not send it when its lease has ended', async () => {
  const [claimed, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  store.database.answer = () => {
    store.database.answer = () => undefined;
    claimed.resolve();
    return resumed.promise;
  };
  const sleeper = server.process()(connection, 1, 'refused');
  await claimed.promise;
  store.clock.advance(LEASE_SECONDS + 1);
  const holder = server.process()(connection, 1, 'refused');
  while (server.asked.length === 0) await store.clock.sleep(1);
  resumed.resolve();
  expect(await Promise.all([sleeper, holder])).toEqual(['token-2', 'token-2']);
  expect(server.asked).toEqual(['token-1']);
});

test('an attempt without any recorded response is retried once after the token expires, then reported as lost, once', async () => {
  await stopAfterAnswer();
  store.clock.advance(3_601);
  server.answers.push(server.over);
  const ended = await Promise.all([1, 2, 3].map(() => server.process()(connection, 1, 'ended')));
  expect(ended).toMatchObject(Array(3).fill({ code: 'connection.needs_reauth' }));
  expect(server.asked).toEqual(['token-1', 'token-1']);
  expect(store.events).toMatchObject([
    { type: 'connection.needs_reauth', data: { reason: 'refresh_lost', connection_id: connection.id } },
  ]);
});

test('a receipt that arrives too late for its caller still becomes the credential, and waiting deliveries are sent', async () => {
  const sleeper = await stopAfterAnswer();
  store.clock.advance(3_601);
  server.answers.push(server.over);
  await server.process()(connection, 1, 'ended');
  expect(await standing()).toMatchObject({ status: 'needs_reauth' });
  const post = builders(store).post(
    { id: connection.profileId, workspaceId: connection.workspaceId },
    [connection],
    {},
    { status: 'blocked' },
  );
  await store.repositories.posts.insert(post);
  sleeper.goOn();
  await sleeper.flight;
  expect(await standing()).toMatchObject({ status: 'active' });
  expect(types()).toEqual(['connection.needs_reauth', 'connection.restored']);
  expect(store.jobs().map(({ job }) => job)).toMatchObject([
    { name: 'deliver', workspaceId: post.workspaceId },
  ]);
});

test('when two processes both received a token, the later rejection does not end the grant: the other token is tried, once', async () => {
  const sleeper = await stopAfterAnswer();
  store.clock.advance(3_601);
  expect(await server.process()(connection, 1, 'ended')).toBe('token-3');
  sleeper.goOn();
  expect(await sleeper.flight).toBe('token-3');
  server.answers.push(server.over);
  expect(await server.process()(connection, 2, 'refused')).toBe('token-2');
  expect(server.outcomes.at(-1)).toBe('recovered');
  server.answers.push(server.over);
  expect(await server.process()(connection, 3, 'refused')).toMatchObject({ code: 'connection.needs_reauth' });
  expect(server.asked).toEqual(['token-1', 'token-1', 'token-3', 'token-2']);
});

test('a rejection is ignored when the account was reconnected concurrently', async () => {
  const answer = Promise.withResolvers<void>();
  const renew = server.process();
  server.answers.push(answer.promise);
  const flight = renew(connection, 1, 'ended');
  while (server.asked.length === 0) await store.clock.sleep(1);
  const granted = server.granted('token-again');
  if (granted.kind === 'renewed')
    await store.storeConnection(connection, granted.credential, granted.accessExpiresAt);
  server.answers.push(server.over);
  answer.resolve();
  expect(await flight).toBe('token-again');
  expect(types()).toEqual([]);
});

test('a token that a renewal receives after disconnection is revoked, and so is the previous one', async () => {
  const sleeper = await stopAfterAnswer();
  const call = { workspaceId: connection.workspaceId, actor: { kind: 'system', name: 'test' } } as Call;
  const tools = { manifests: { find: () => null }, tokens: { digestHex: (text: string) => text } };
  await store.transactions.run((tx) =>
    disconnect({ ...store, ...tx, ...tools }, call, { id: connection.id }),
  );
  sleeper.goOn();
  expect(await sleeper.flight).toMatchObject({ code: 'connection.needs_reauth' });
  expect(store.jobs().map(({ job }) => job)).toMatchObject([
    { name: 'revoke_grant', generation: 1 },
    { name: 'revoke_grant', generation: 2, connectionId: connection.id, platform: connection.platform },
  ]);
  expect(await store.credentials.listUnsettled(0, 10)).toEqual([]);
});

test('a failing server is backed off exponentially by all processes, and for as long as it requests', async () => {
  const rests: number[] = [];
  const attempt = async () => {
    const failed = await server.process()(connection, 1, 'ended');
    expect(failed).toMatchObject({ code: 'platform.unavailable' });
    const backingOff = await server.process()(connection, 1, 'ended');
    const { retryAfterSeconds = 0 } = backingOff as { retryAfterSeconds?: number };
    rests.push(retryAfterSeconds);
    store.clock.advance(retryAfterSeconds + 1);
  };
  for (let at = 0; at < 12; at++) {
    server.answers.push(server.down());
    await attempt();
  }
  expect(server.asked).toHaveLength(12);
  expect(rests[0]).toBeLessThanOrEqual(7);
  expect(rests[3]).toBeGreaterThan(rests[0] ?? 0);
  expect(Math.max(...rests)).toBeLessThanOrEqual(1_126);
  server.answers.push(server.down(false, 1_800));
  await attempt();
  expect(rests.at(-1)).toBe(1_800);
  expect(await server.process()(connection, 1, 'ended')).toMatch(/^token-/);
  expect(types()).toEqual([]);
});

test('no refresh token is used while another installation may use it, and the token that works is used until then', async () => {
  const setPause = (pause: Pause | null) =>
    store.transactions.run(async (tx) => ok(await tx.pauses.updateInstallation({ pause })));
  await setPause({ cause: 'restored_backup', reason: null, by: 'system:operator', at: store.clock.now() });
  for (const urgency of ['soon', 'ended', 'refused'] as const)
    expect(await server.process()(connection, 1, urgency)).toMatchObject({
      code: 'platform.unavailable',
      whoCanFix: 'operator',
      message: expect.stringContaining('paused'),
    });
  expect([server.asked, types(), (await standing())?.status]).toEqual([[], [], 'active']);
  await setPause(null);
  expect(await server.process()(connection, 1, 'refused')).toBe('token-2');
});

test('reduced permissions at a renewal are stored and reported, and reported again only when more are missing', async () => {
  const renew = server.process();
  server.answers.push(server.granted('token-less', ['read']));
  expect(await renew(connection, 1, 'soon')).toBe('token-less');
  expect(await standing()).toEqual({ status: 'degraded', permissions: ['read'] });
  expect(store.events).toMatchObject([
    {
      type: 'connection.degraded',
      data: {
        reason: 'permission_missing',
        missing_permissions: ['post'],
        connection_id: connection.id,
        next: { operation: 'startConnect', arguments: { connection_id: connection.id } },
      },
    },
  ]);
  server.answers.push(server.granted('token-same', ['read']));
  await renew(connection, 2, 'soon');
  expect(types()).toEqual(['connection.degraded']);
  await renew(connection, 3, 'soon');
  expect(await standing()).toEqual({ status: 'active', permissions: ['post'] });
  expect(types()).toEqual(['connection.degraded', 'connection.restored']);
  expect(
    store.audit
      .filter(({ action }) => action === 'connection.permissions_changed')
      .map(({ details }) => details),
  ).toMatchObject([{ before: ['post'], after: ['read'] }, { after: ['post'] }]);
});

test('a login whose app is gone is degraded with the reason, reported once, and active again when the app returns', async () => {
  const missingApp: TokenRenewalResult = {
    kind: 'failed',
    failure: failure('platform.not_configured', 'no app'),
    unsettled: false,
  };
  for (let at = 0; at < 3; at++) {
    server.answers.push(missingApp);
    expect(await server.process()(connection, 1, 'ended')).toMatchObject({ code: 'platform.not_configured' });
    store.clock.advance(2_000);
  }
  expect(server.asked).toHaveLength(3);
  const found = await store.connections.find(connection.workspaceId, connection.id);
  expect(found).toMatchObject({ status: 'degraded', appMissing: true });
  expect(found?.statusReason).toContain('is missing or no longer accepted');
  expect(store.events).toMatchObject([
    {
      type: 'connection.degraded',
      data: { reason: 'app_missing', connection_id: connection.id, missing_permissions: [] },
    },
  ]);
  expect(store.audit.map(({ action }) => action)).toEqual(['connection.degraded']);
  expect(await server.process()(connection, 1, 'ended')).toMatch(/^token-/);
  expect(await store.connections.find(connection.workspaceId, connection.id)).toMatchObject({
    status: 'active',
    statusReason: null,
    appMissing: false,
  });
  expect(types()).toEqual(['connection.degraded', 'connection.restored']);
});

test('a concurrently reconnected connection is not degraded for the app of the previous login', async () => {
  const answer = Promise.withResolvers<void>();
  const renew = server.process();
  server.answers.push(
    answer.promise.then(() => ({
      kind: 'failed',
      unsettled: false,
      failure: failure('platform.not_configured', 'no app'),
    })),
  );
  const flight = renew(connection, 1, 'ended');
  while (server.asked.length === 0) await store.clock.sleep(1);
  const granted = server.granted('token-again');
  if (granted.kind === 'renewed')
    await store.storeConnection(connection, granted.credential, granted.accessExpiresAt);
  answer.resolve();
  expect(await flight).toMatchObject({ code: 'platform.not_configured' });
  expect(await standing()).toMatchObject({ status: 'active' });
  expect(types()).toEqual([]);
});

test('the event of an ended login lists at most twenty waiting posts and their total', async () => {
  const build = builders(store);
  const profile = { id: connection.profileId, workspaceId: connection.workspaceId };
  for (let at = 0; at < 23; at++) {
    await store.repositories.posts.insert(build.post(profile, [connection], {}, { status: 'pending' }));
  }
  server.answers.push(server.over);
  await server.process()(connection, 1, 'ended');
  const affected = store.events[0]?.data['affected_posts'] as { count: number; ids: string[] } | undefined;
  expect([affected?.count, affected?.ids.length]).toEqual([23, 20]);
});
