import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ConnectMethod, PasswordLoginFacts } from '@switchboard/domain/ports';
import { textOf, type WireRequest, type WireResponse } from '@switchboard/simulators';
import { openStoreFixture } from './testing/open-store-fixture.js';

const PASSWORD = ' pass word-2026 ';
const SECOND_FACTOR = '123456';
const bodyOf = ({ body }: WireRequest) => (body ?? {}) as Readonly<Record<string, unknown>>;
const headerOf = ({ headers }: WireRequest, name: string) => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** A server whose sessions last ten minutes; a refresh token is used once. */
function sessionServer() {
  let issued = 0;
  const tokens = new Set<string>();
  const refreshTokens = new Set<string>();
  const state = { needsSecondFactor: false, keepsRefreshTokens: false };
  const open = (): WireResponse => {
    const [token, refreshToken] = [`token-${++issued}`, `refresh-${issued}`];
    tokens.clear();
    tokens.add(token);
    refreshTokens.add(refreshToken);
    return {
      status: 200,
      json: { data: { access: token, refresh: refreshToken, expires: 600_000 } },
    };
  };
  const error = (status: number, code: string): WireResponse => ({ status, json: { error: code } });
  const bearerOf = (request: WireRequest) => headerOf(request, 'authorization').replace(/^Bearer /, '');
  return {
    state,
    tokens,
    refreshTokens,
    serve(request: WireRequest): WireResponse | null {
      const body = bodyOf(request);
      switch (`${request.method} ${request.path}`) {
        case 'POST /api/login': {
          if (body['name'] !== 'alice' || body['password'] !== PASSWORD) return error(401, 'incorrect_login');
          if (state.needsSecondFactor && body['code'] !== SECOND_FACTOR) return error(400, 'missing_code');
          return open();
        }
        case 'POST /api/refresh': {
          const given = textOf(body['refresh_token']) || bearerOf(request);
          if (!refreshTokens.has(given) && !tokens.has(given)) return error(401, 'session_ended');
          if (!state.keepsRefreshTokens) refreshTokens.delete(given);
          return open();
        }
        case 'DELETE /api/session':
          refreshTokens.delete(textOf(body['refresh_token']));
          return tokens.delete(bearerOf(request)) ? { status: 204 } : error(401, 'session_ended');
        default:
          return null;
      }
    },
    api(request: WireRequest): WireResponse {
      const given = [bearerOf(request), headerOf(request, 'x-session').replace(/^S /, '')];
      given.push(request.query.get('session') ?? '');
      return given.some((token) => tokens.has(token))
        ? { status: 200, json: {} }
        : error(401, 'session_ended');
    },
  };
}

const refresh = { path: '/api/refresh', body: { refresh_token: '{refresh_token}' } };

function createMethod(over: Partial<PasswordLoginFacts> = {}): ConnectMethod {
  const field = { label: '', hint: '', required: true, placeholder: '' };
  return {
    id: 'password',
    scheme: 'password_login',
    label: 'Log in',
    needsApp: false,
    fields: [
      { ...field, kind: 'instance', name: 'server' },
      { ...field, kind: 'handle', name: 'user' },
      { ...field, kind: 'password', name: 'password' },
      { ...field, kind: 'text', name: 'code', required: false },
    ],
    passwordLogin: {
      serverField: null,
      login: {
        path: '/api/login',
        body: { name: '{user}', password: '{password}', code: '{code}', mode: 'json' },
      },
      response: {
        token: ['data', 'access'],
        refreshToken: ['data', 'refresh'],
        lifetime: { path: ['data', 'expires'], unit: 'milliseconds' },
      },
      send: { kind: 'bearer' },
      renewal: refresh,
      logout: {
        method: 'DELETE',
        path: '/api/session',
        body: { refresh_token: '{refresh_token}' },
        bearer: 'token',
      },
      fieldErrors: { missing_code: 'code' },
      ...over,
    },
  };
}

const typed = { user: ' alice ', password: PASSWORD };
let server: ReturnType<typeof sessionServer>;
let world: Awaited<ReturnType<typeof openStoreFixture>>;
const open = async (over: Partial<PasswordLoginFacts> = {}) => {
  await world?.close();
  world = await openStoreFixture(fetch, createMethod(over), server);
};
beforeEach(async () => {
  server = sessionServer();
  await open();
});
afterEach(() => world.close());

async function login(values: Readonly<Record<string, string>> = typed) {
  const grant = await world.login(values);
  if (!grant.ok) throw new Error(grant.failure.message);
  return grant.value;
}
const bodies = (path: string) => world.asked(path).map(({ body }) => body);

test('a user name and a password become a token, and the password is not stored', async () => {
  const grant = await login();
  expect(bodies('/api/login')).toEqual([{ name: 'alice', password: PASSWORD, mode: 'json' }]);
  const stored = grant.credential.reveal();
  expect(stored).toContain('token-1');
  expect(stored).not.toContain(PASSWORD.trim());
  expect(grant).toMatchObject({ permissions: ['read_orders'], expiresAt: null });
  const remaining = (grant.accessExpiresAt?.getTime() ?? 0) - world.store.clock.now().getTime();
  expect(remaining).toBeGreaterThan(590_000);
  expect(await world.ask(grant)).toMatchObject({ ok: true, value: { status: 200 } });
});

test.each<[string, PasswordLoginFacts['send'], (request: WireRequest) => unknown]>([
  ['as RFC 6750 requires', { kind: 'bearer' }, (request) => request.headers['authorization']],
  ['in a header', { kind: 'header', name: 'X-Session', before: 'S ' }, ({ headers }) => headers['x-session']],
  ['in the query', { kind: 'query', name: 'session' }, ({ query }) => query.get('session')],
])('the token is sent %s', async (_how, send, sent) => {
  await open({ send });
  const grant = await login();
  expect(await world.ask(grant, '/orders?page=2')).toMatchObject({ ok: true, value: { status: 200 } });
  const [request] = world.asked('/orders');
  expect(request && sent(request)).toMatch(/^(Bearer |S )?token-1$/);
  expect(request?.query.get('page')).toBe('2');
});

test.each([
  ['a wrong password', { ...typed, password: 'other' }, 'password'],
  ['a missing second factor', typed, 'code'],
])('%s is reported at its field', async (_what, values, field) => {
  server.state.needsSecondFactor = true;
  expect(await world.login(values)).toMatchObject({
    failure: { code: 'connect.answer_invalid', problems: [{ path: field }] },
  });
  expect((await world.login({ ...typed, code: SECOND_FACTOR })).ok).toBe(true);
});

test.each([
  ['an outage', { kind: '500-before' as const }, 'platform.unavailable'],
  ['a response without a token', { kind: '2xx-no-id' as const }, 'connect.exchange_failed'],
])('%s stores nothing', async (_what, fault, code) => {
  world.server.faults.add(fault);
  const result = await world.login(typed);
  expect(result).toMatchObject({ ok: false, failure: { code } });
  expect(JSON.stringify(result)).not.toContain('token-1');
});

test.each([
  ['no server', 'localhost:1', ['platform.address_refused', 'platform.unavailable']],
  ['a private address', 'http://10.0.0.1', ['connect.answer_invalid']],
])('%s as the server is refused', async (_what, entered, codes) => {
  await open({ serverField: 'server' });
  const result = await world.login({ ...typed, server: entered });
  expect(codes).toContain(result.ok ? 'ok' : result.failure.code);
});

describe('a session with an endpoint that renews it', () => {
  test('is renewed before it expires, with the refresh token, and the new one is stored', async () => {
    const connection = await world.keep(await login());
    world.store.clock.advance(595);
    const session = await world.sessions.open(
      connection,
      { purpose: 'orders', actor: 'system:worker' },
      new AbortController().signal,
    );
    if (!session.ok) throw new Error(session.failure.message);
    const request = { method: 'GET', path: '/orders', effect: 'read' } as const;
    expect(await session.value.request(request)).toMatchObject({ ok: true });
    expect(bodies('/api/refresh')).toEqual([{ refresh_token: 'refresh-1' }]);
    expect(world.asked('/api/login')).toHaveLength(1);
    expect(await world.sessions.renew(connection, 2)).toMatchObject({ ok: true });
    expect(bodies('/api/refresh')[1]).toEqual({ refresh_token: 'refresh-2' });
  });

  test('that issues no new refresh token keeps the old one', async () => {
    server.state.keepsRefreshTokens = true;
    await open({
      response: { token: ['data', 'access'] },
      renewal: { path: '/api/refresh', bearer: 'token' },
    });
    const connection = await world.keep(await login());
    expect(await world.sessions.renew(connection, 1)).toMatchObject({ ok: true });
    expect(await world.sessions.renew(connection, 2)).toMatchObject({ ok: true });
    expect(world.asked('/api/refresh').map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  test('that ended must be connected again', async () => {
    const connection = await world.keep(await login());
    server.refreshTokens.clear();
    server.tokens.clear();
    expect(await world.sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'connection.needs_reauth' },
    });
    expect((await world.store.connections.find(connection.workspaceId, connection.id))?.status).toBe(
      'needs_reauth',
    );
  });

  test('keeps its old token through an outage', async () => {
    const connection = await world.keep(await login());
    world.server.faults.add({ kind: '500-before', match: { method: 'POST' } });
    expect(await world.sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
    expect((await world.store.connections.find(connection.workspaceId, connection.id))?.status).toBe(
      'active',
    );
  });
});

describe('a session that only the password renews', () => {
  beforeEach(() => open({ renewal: 'password' }));

  test('stores the password sealed, and logs in again with it', async () => {
    const grant = await login();
    expect(grant.credential.reveal()).toContain(PASSWORD);
    expect(JSON.stringify(grant)).not.toContain(PASSWORD);
    const connection = await world.keep(grant);
    expect(await world.sessions.renew(connection, 1)).toMatchObject({ ok: true });
    expect(bodies('/api/login')).toEqual([
      { name: 'alice', password: PASSWORD, mode: 'json' },
      { name: 'alice', password: PASSWORD, mode: 'json' },
    ]);
  });

  test('whose password was changed must be connected again', async () => {
    const grant = await login();
    const connection = await world.keep(grant);
    server.state.needsSecondFactor = true;
    expect(await world.sessions.renew(connection, 1)).toMatchObject({
      failure: { code: 'connection.needs_reauth' },
    });
  });
});

test('a token that nothing renews is used until it is refused, and then the account must be connected again', async () => {
  await open({ renewal: 'none', response: { token: ['data', 'access'] } });
  const grant = await login();
  expect(grant).toMatchObject({ accessExpiresAt: null, expiresAt: null });
  const connection = await world.keep(grant);
  server.tokens.clear();
  const session = await world.sessions.open(
    connection,
    { purpose: 'orders', actor: 'system:worker' },
    new AbortController().signal,
  );
  if (!session.ok) throw new Error(session.failure.message);
  expect(await session.value.request({ method: 'GET', path: '/orders', effect: 'read' })).toMatchObject({
    failure: { code: 'connection.needs_reauth' },
  });
});

test('the expiry of a token that is a JWT is read from it', async () => {
  await open({ renewal: 'none', response: { token: ['jwt'] } });
  const exp = Math.floor(world.store.clock.now().getTime() / 1_000) + 3_600;
  const jwt = ['{"alg":"HS256"}', JSON.stringify({ exp }), 'x'].map((part) =>
    Buffer.from(part).toString('base64url'),
  );
  server.serve = () => ({ status: 200, json: { jwt: jwt.join('.') } });
  const grant = await login();
  expect(grant.accessExpiresAt).toEqual(new Date(exp * 1_000));
  expect(grant.expiresAt).toEqual(grant.accessExpiresAt);
});

test('a disconnected account is logged out, also when the session had ended', async () => {
  const grant = await login();
  expect(await world.revoke(grant)).toMatchObject({ ok: true });
  expect(server.tokens.size + server.refreshTokens.size).toBe(0);
  expect(await world.revoke(grant)).toMatchObject({ ok: true });
  world.server.faults.add({ kind: '500-before', match: { method: 'DELETE' } });
  expect(await world.revoke(grant)).toMatchObject({ failure: { code: 'platform.unavailable' } });
});

test.each(['/api/refresh', '/api//Refresh/', '/api/%72efresh', '/api/login', '/api/session?x=1'])(
  'an adapter cannot reach %s, whose response would contain a token',
  async (path) => {
    await open({ renewal: { path: '/api/refresh', bearer: 'token' } });
    const grant = await login();
    const session = await world.authorizers.openSession(
      world.manifest,
      world.connectMethod,
      grant,
      new AbortController().signal,
    );
    if (!session.ok) throw new Error(session.failure.message);
    const before = world.server.received().length;
    const answer = await session.value.request({ method: 'POST', path, effect: 'write' });
    expect(answer).toMatchObject({ ok: false, failure: { code: 'platform.address_refused' } });
    expect(world.server.received()).toHaveLength(before);
    expect(JSON.stringify([answer, session.value])).not.toContain('token-');
  },
);
