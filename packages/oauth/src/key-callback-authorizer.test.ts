import { describe, expect, test } from '@jest/globals';
import type { Secret } from '@switchboard/domain';
import type { ConnectMethod, Outbound, OutboundRequest } from '@switchboard/domain/ports';
import { keyCallbackAuthorizer, type AddressCheck } from './key-callback-authorizer.js';
import { createTestStore } from './testing/create-test-store.js';

const connectMethod = {
  id: 'approval',
  scheme: 'key_callback',
  keyCallback: {
    serverField: 'store',
    authorizePath: '/wc-auth/v1/authorize',
    scope: 'read_write',
    permissions: ['read', 'write'],
  },
} as unknown as ConnectMethod;
const deliverTo = 'https://switchboard.example/deliveries/woocommerce/secret';

function createScheme(allowHttp = false) {
  const sent: OutboundRequest[] = [];
  const outbound: Outbound & AddressCheck = {
    checkAddress: async (url) =>
      url.includes('private') ? 'address_refused' : url.includes('unknown') ? 'dns' : null,
    request: async (request) => {
      sent.push(request);
      return { kind: 'answered', status: 200, headers: {}, body: new Uint8Array() };
    },
  };
  const scheme = keyCallbackAuthorizer({
    outbound,
    clock: createTestStore().clock,
    appName: 'Acme',
    allowHttp,
  });
  const begin = (store: string, to = deliverTo) =>
    scheme.begin({
      connectMethod,
      fieldValues: { store },
      state: 'the state',
      keyCallbackUrl: to,
      redirectUri: 'https://switchboard.example/oauth/callback/woocommerce',
    } as never);
  const begun = async (store = 'shop.example') => {
    const trip = await begin(store);
    if (!trip.ok) throw new Error(trip.failure.message);
    const url = new URL(trip.value.url);
    return { url, context: trip.value.context, user: url.searchParams.get('user_id') ?? '' };
  };
  const accept = (context: Secret, body: unknown) =>
    scheme.accept({ connectMethod, body, context, manifest: {} as never });
  const complete = (context: Secret, parameters: Record<string, string>, delivered?: unknown) =>
    scheme.complete({ context, parameters, keyCallbackGrant: delivered } as never);
  return { scheme, sent, begin, begun, accept, complete };
}

const createKeyBody = (user: string) => ({
  key_id: 1,
  user_id: user,
  key_permissions: 'read_write',
  consumer_key: 'ck_1',
  consumer_secret: 'cs_2',
});

describe('a connect flow at a store', () => {
  test('requests keys by name with the callback and return URLs', async () => {
    const { url, user } = await createScheme().begun('https://Shop.example/en/');
    expect(url.href.startsWith('https://shop.example/en/wc-auth/v1/authorize?')).toBe(true);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      app_name: 'Acme',
      scope: 'read_write',
      user_id: user,
      callback_url: deliverTo,
      return_url: 'https://switchboard.example/oauth/callback/woocommerce?state=the+state',
    });
    expect(user).toMatch(/^\w{16}$/);
  });

  test('requires TLS at the store and at this service, unless plain HTTP is allowed', async () => {
    const plainHttpScheme = deliverTo.replace('https:', 'http:');
    expect(await createScheme().begin('http://shop.example')).toMatchObject({
      failure: { code: 'connect.answer_invalid', problems: [{ path: 'store' }] },
    });
    expect(await createScheme().begin('shop.example', plainHttpScheme)).toMatchObject({
      failure: { code: 'platform.not_configured' },
    });
    expect((await createScheme(true).begin('http://127.0.0.1:8080', plainHttpScheme)).ok).toBe(true);
  });

  test('redirects no browser to a private address or to an unresolvable name (finding 13)', async () => {
    for (const [store, reason] of [
      ['https://private.example', /public internet/],
      ['https://unknown.example', /cannot be resolved/],
    ] as const) {
      expect(await createScheme(true).begin(store)).toMatchObject({
        failure: {
          code: 'connect.answer_invalid',
          message: expect.stringMatching(reason) as unknown,
          problems: [{ path: 'store' }],
        },
      });
    }
  });

  test('completes with the posted keys, and fails when access was denied or no keys arrived', async () => {
    const it = createScheme();
    const { context, user } = await it.begun();
    const grant = await it.accept(context, createKeyBody(user));
    const delivered = grant.ok ? grant.value : undefined;
    expect(await it.complete(context, { success: '1', user_id: user }, delivered)).toEqual(grant);
    for (const [parameters, brought, code] of [
      [{ success: '0', user_id: user }, delivered, 'connect.denied'],
      [{ success: '1', user_id: user }, undefined, 'connect.exchange_failed'],
      [{ success: '1', user_id: 'another' }, delivered, 'connect.exchange_failed'],
      [{ success: '1' }, delivered, 'connect.exchange_failed'],
    ] as const) {
      expect(await it.complete(context, parameters, brought)).toMatchObject({ failure: { code } });
    }
  });
});

describe('keys', () => {
  test('are sent as name and password over TLS, and sign requests without TLS', async () => {
    for (const [store, header] of [
      ['https://shop.example', `Basic ${Buffer.from('ck_1:cs_2').toString('base64')}`],
      ['http://127.0.0.1:8080', 'OAuth oauth_consumer_key="ck_1"'],
    ] as const) {
      const it = createScheme(true);
      const { context, user } = await it.begun(store);
      const grant = await it.accept(context, createKeyBody(user));
      if (!grant.ok) throw new Error(grant.failure.message);
      expect(grant.value).toMatchObject({ server: store, permissions: ['read', 'write'], expiresAt: null });
      expect(JSON.stringify(grant)).not.toContain('cs_2');
      await it.scheme.open(grant.value.credential).send({ method: 'GET', url: `${store}/orders` });
      expect(it.sent[0]?.headers?.['authorization']).toContain(header);
    }
  });

  test.each<[string, (validBody: Record<string, unknown>) => unknown]>([
    ['nothing', () => undefined],
    ['a list', () => [1]],
    ['keys of another trip', (right) => ({ ...right, user_id: 'another' })],
    ['keys that may only read', (right) => ({ ...right, key_permissions: 'read' })],
    ['an invalid key', (right) => ({ ...right, consumer_key: 'ck 1' })],
    ['a key with a second header in it', (right) => ({ ...right, consumer_secret: 'cs\r\nx: y' })],
    ['a key that is a name and a password', (right) => ({ ...right, consumer_key: 'ck:1' })],
    ['a key that is too long', (right) => ({ ...right, consumer_secret: 'c'.repeat(201) })],
    ['a number', (right) => ({ ...right, consumer_secret: 7 })],
  ])('%s is rejected', async (_what, wrong) => {
    const it = createScheme();
    const { context, user } = await it.begun();
    expect(await it.accept(context, wrong(createKeyBody(user)))).toMatchObject({
      failure: { code: 'connect.exchange_failed' },
    });
  });
});
