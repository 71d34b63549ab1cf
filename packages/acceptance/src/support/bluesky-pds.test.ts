import {
  NodeOAuthClient,
  OAuthCallbackError,
  type NodeSavedSession,
  type NodeSavedState,
} from '@atproto/oauth-client-node';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { approveBlueskyConsent, denyBlueskyConsent } from './bluesky-consent.js';
import { type BlueskyAccount, type BlueskyPds, startBlueskyPds } from './bluesky-pds.js';

const INSTALL_AND_BOOT_MS = 6 * 60_000;
const PASSWORD = 'alice-and-the-looking-glass';
const POSTS = 'app.bsky.feed.post';
const SCOPE = 'atproto transition:generic';
const REDIRECT = 'http://127.0.0.1:20999/callback';

let pds: BlueskyPds;
let alice: BlueskyAccount;
let bob: BlueskyAccount;

beforeAll(async () => {
  pds = await startBlueskyPds();
  alice = await pds.createAccount('alice.test', PASSWORD);
  bob = await pds.createAccount('bob.test', 'bob-the-builder');
}, INSTALL_AND_BOOT_MS);

afterAll(async () => {
  await pds?.stop();
});

const post = (text: string) => ({ $type: POSTS, text, createdAt: '2026-01-02T03:04:05.000Z' });

async function signInWithAppPassword() {
  const password = await pds.createAppPassword('alice.test', PASSWORD, `app-${Date.now()}`);
  const body = { identifier: 'alice.test', password };
  const session = await pds.xrpc('POST', 'com.atproto.server.createSession', { body });
  return { password, status: session.status, token: (session.body as { accessJwt: string }).accessJwt };
}

describe('the PDS', () => {
  test('lists the PDS of each account in the DID directory', async () => {
    expect(alice.did).not.toBe(bob.did);
    const document = (await (await fetch(`${pds.plcUrl}/${alice.did}`)).json()) as Record<string, unknown>;
    expect(document).toMatchObject({
      id: alice.did,
      alsoKnownAs: ['at://alice.test'],
      service: [expect.objectContaining({ id: '#atproto_pds', serviceEndpoint: pds.url })],
    });
  });

  test('resolves the handles of its own accounts only', async () => {
    const resolve = (handle: string) =>
      pds.xrpc('GET', 'com.atproto.identity.resolveHandle', { params: { handle } });
    expect(await resolve('bob.test')).toEqual({ status: 200, body: { did: bob.did } });
    expect((await resolve('nobody.test')).status).toBe(400);
  });

  test('lists no record before the first post and has no record under an unused key', async () => {
    expect(await pds.listRecords(bob.did)).toEqual([]);
    expect(await pds.getRecord(bob.did, '3kunused22222')).toBeUndefined();
  });

  test('publishes under a chosen record key with an app password, and keeps one record when repeated', async () => {
    const { status, token } = await signInWithAppPassword();
    expect(status).toBe(200);
    const created = await pds.xrpc('POST', 'com.atproto.repo.createRecord', {
      token,
      body: { repo: alice.did, collection: POSTS, rkey: '3kcreated2222', record: post('created') },
    });
    expect(created.status).toBe(200);

    const body = { repo: alice.did, collection: POSTS, rkey: '3kput22222222', record: post('put 🙂') };
    const first = await pds.xrpc('POST', 'com.atproto.repo.putRecord', { token, body });
    const second = await pds.xrpc('POST', 'com.atproto.repo.putRecord', { token, body });
    expect([first.status, second.status]).toEqual([200, 200]);

    const stored = await pds.getRecord(alice.did, '3kput22222222');
    expect(stored).toMatchObject({ cid: (second.body as { cid: string }).cid, value: { text: 'put 🙂' } });
    const keys = (await pds.listRecords(alice.did)).map((record) => record.uri.split('/').at(-1));
    expect(keys.toSorted()).toEqual(['3kcreated2222', '3kput22222222']);
  });

  test('rejects a record key that is not a TID', async () => {
    const { token } = await signInWithAppPassword();
    const body = { repo: alice.did, collection: POSTS, rkey: 'my-own-key', record: post('refused') };
    const answer = await pds.xrpc('POST', 'com.atproto.repo.putRecord', { token, body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } });
  });

  test.each([
    { what: 'response', rkey: '3klostanswer2', kept: true },
    { what: 'request', rkey: '3klostreques2', kept: false },
  ] as const)('drops the $what of one call: record stored is $kept', async ({ what, rkey, kept }) => {
    const { token } = await signInWithAppPassword();
    const body = { repo: alice.did, collection: POSTS, rkey, record: post(what) };
    await pds.dropNext(what, 'com.atproto.repo.putRecord');
    await expect(pds.xrpc('POST', 'com.atproto.repo.putRecord', { token, body })).rejects.toThrow(
      'fetch failed',
    );
    expect((await pds.getRecord(alice.did, rkey)) !== undefined).toBe(kept);
    expect((await pds.xrpc('POST', 'com.atproto.repo.putRecord', { token, body })).status).toBe(200);
  });
});

describe('the consent helper', () => {
  function oauthClient() {
    const sessions = new Map<string, NodeSavedSession>();
    const client = new NodeOAuthClient({
      clientMetadata: {
        client_id: `http://localhost?redirect_uri=${encodeURIComponent(REDIRECT)}&scope=${encodeURIComponent(SCOPE)}`,
        redirect_uris: [REDIRECT],
        scope: SCOPE,
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        dpop_bound_access_tokens: true,
      },
      stateStore: storeOn(new Map<string, NodeSavedState>()),
      sessionStore: storeOn(sessions),
      requestLock: async (_name, work) => work(),
      allowHttp: true,
      plcDirectoryUrl: pds.plcUrl,
      handleResolver: pds.url,
    });
    return { client, sessions };
  }

  function storeOn<T>(map: Map<string, T>) {
    return {
      get: async (key: string) => map.get(key),
      set: async (key: string, value: T) => void map.set(key, value),
      del: async (key: string) => void map.delete(key),
    };
  }

  test.each([
    { name: 'the PDS', start: () => pds.url },
    { name: 'a handle', start: () => 'alice.test' },
  ])('creates a session that publishes, refreshes and ends, started from $name', async ({ start }) => {
    const { client, sessions } = oauthClient();
    const location = await approveBlueskyConsent(await client.authorize(start(), { state: 'round-trip' }), {
      handle: 'alice.test',
      password: PASSWORD,
    });
    const callback = new URL(location);
    expect(callback.origin + callback.pathname).toBe(REDIRECT);
    expect(callback.searchParams.get('iss')).toBe(pds.url);

    const { session, state } = await client.callback(callback.searchParams);
    expect(state).toBe('round-trip');
    expect(session.did).toBe(alice.did);

    const body = { repo: session.did, collection: POSTS, rkey: '3koauth222222', record: post('by OAuth') };
    const answer = await session.fetchHandler('/xrpc/com.atproto.repo.putRecord', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    expect(await pds.getRecord(alice.did, '3koauth222222')).toMatchObject({ value: { text: 'by OAuth' } });

    const before = sessions.get(session.did)?.tokenSet.access_token ?? '';
    expect((await pds.xrpc('GET', 'com.atproto.server.getSession', { token: before })).status).toBe(400);
    const refreshed = await client.restore(session.did, true);
    expect(sessions.get(session.did)?.tokenSet.access_token).not.toBe(before);
    await refreshed.signOut();
    await expect(client.restore(session.did)).rejects.toThrow();
  });

  test('grants only the scope that the user leaves selected', async () => {
    const { client } = oauthClient();
    const authorizeUrl = await client.authorize(pds.url);
    const consent = { handle: 'alice.test', password: PASSWORD, scope: 'atproto' };
    const { session } = await client.callback(
      new URL(await approveBlueskyConsent(authorizeUrl, consent)).searchParams,
    );
    expect((await session.getTokenInfo()).scope).toBe('atproto');
  });

  test('returns access_denied when the user denies', async () => {
    const { client } = oauthClient();
    const callback = new URL(await denyBlueskyConsent(await client.authorize(pds.url, { state: 'refused' })));
    expect(Object.fromEntries(callback.searchParams)).toMatchObject({ error: 'access_denied', iss: pds.url });
    await expect(client.callback(callback.searchParams)).rejects.toThrow(OAuthCallbackError);
  });

  test('fails without the password in its message when the password is wrong or is an app password', async () => {
    const { password: appPassword } = await signInWithAppPassword();
    for (const password of ['not-the-password', appPassword]) {
      const { client } = oauthClient();
      const authorizeUrl = await client.authorize(pds.url);
      const failure = await approveBlueskyConsent(authorizeUrl, { handle: 'alice.test', password }).then(
        () => 'granted',
        (error: unknown) => String(error),
      );
      expect(failure).toMatch(/\/sign-in of the Bluesky PDS returned 4/);
      expect(failure).not.toContain(password);
    }
  });
});

test('leaves no open port after stop', async () => {
  await pds.stop();
  await expect(pds.xrpc('GET', 'com.atproto.server.describeServer')).rejects.toThrow('fetch failed');
  await expect(fetch(pds.plcUrl)).rejects.toThrow('fetch failed');
});
