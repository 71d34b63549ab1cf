import { describe, expect, test } from '@jest/globals';
import { ok } from '@switchboard/domain';
import { noMetrics } from '@switchboard/domain/analytics';
import type { ConnectMethod, Manifest, PasswordLoginFacts, Platform } from '@switchboard/domain/ports';
import { API_VERSION } from './api-version.js';
import { findContradictions, definePlatform } from './define-platform.js';

const manifest: Manifest = {
  id: 'acme_shop',
  name: 'Acme',
  kind: 'commerce',
  sandbox: false,
  connect: [
    {
      id: 'oauth',
      scheme: 'oauth2',
      label: 'Continue to Acme',
      fields: [],
      needsApp: true,
      oauth2: {
        authorizePath: '/authorize',
        tokenPath: '/token',
        revokePath: null,
        permissions: ['orders', 'refunds'],
        pkce: true,
        clientAuth: 'body',
        issuerPath: null,
      },
    },
  ],
  permissions: { orders: ['orders'], refunds: ['refunds', 'orders'] },
  text: null,
  media: null,
  title: null,
  thread: false,
  firstComment: null,
  linkCards: false,
  options: [],
  metrics: [],
  postList: null,
  refunds: {
    lines: false,
    shipping: false,
    restock: false,
    restockByLine: false,
    locations: false,
    notifyCustomer: false,
    offline: false,
    settlesLater: true,
    idempotent: false,
  },
  setup: { consoleUrl: null, reviewNeeded: false, pitfalls: [] },
  baseUrl: 'https://api.acme.example',
  authBaseUrl: 'https://acme.example',
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-21',
  docsUrl: 'https://docs.acme.example/',
};
const acme: Platform = {
  manifest,
  connecting: { identify: async () => ok([]) },
  orders: { filters: [], list: async () => ok({ orders: [] }), get: async () => ok(null) },
  refunds: { refund: () => Promise.reject(new Error('not called')) },
};
const media: NonNullable<Manifest['media']> = {
  max: 2,
  mixed: false,
  required: false,
  images: { max: 2, types: ['image/png'], maxBytes: 1000 },
  videos: null,
  documents: null,
  altTextMax: null,
  fetches: false,
};
const facts = (more: Partial<Manifest>): Platform => ({ ...acme, manifest: { ...manifest, ...more } });
const { orders: _orders, ...blind } = acme;
const { refunds: _refunds, ...stingy } = acme;
const [connectMethod] = manifest.connect;
const oauth2 = connectMethod.oauth2;
const shop = {
  name: 'shop',
  label: 'Shop',
  hint: '',
  kind: 'shop',
  required: true,
  placeholder: '',
} as const;
const named = (kind: 'origin' | 'path') => ({
  field: 'shop',
  patterns: [/^(\w+)$/],
  location: kind === 'origin' ? { kind, origin: 'https://{name}.acme.example' } : { kind, path: '/{name}' },
});
const keyWay: ConnectMethod = {
  id: 'key',
  scheme: 'key_form',
  label: 'Connect with a key',
  fields: ['store', 'secret_key'].map((name) => ({
    name,
    label: name,
    hint: '',
    kind: 'text',
    required: true,
    placeholder: '',
  })),
  needsApp: false,
  keyForm: {
    serverField: 'store',
    send: { kind: 'basic', nameField: 'secret_key', passwordField: null },
  },
};

test('a platform whose facts and abilities agree is accepted, with the version of the interface', () => {
  expect(findContradictions(acme)).toEqual([]);
  expect(definePlatform(acme)).toEqual({ ...acme, apiVersion: API_VERSION });
  expect(findContradictions(facts({ connect: [keyWay] }))).toEqual([]);
  const page: ConnectMethod = {
    ...connectMethod,
    id: 'page',
    appPlatform: 'other',
    permissions: { orders: ['page_orders'], refunds: [] },
    ...(oauth2 && { oauth2: { ...oauth2, permissions: ['page_orders', 'more'] } }),
  };
  expect(findContradictions(facts({ connect: [connectMethod, page] }))).toEqual([]);
});

test('a platform that contradicts itself is rejected with every reason', () => {
  expect(() => definePlatform(facts({ id: 'Acme-Shop', baseUrl: 'https://api.acme.example/v1' }))).toThrow(
    'The platform Acme-Shop contradicts itself: Acme-Shop is not snake case; https://api.acme.example/v1 is not an origin',
  );
});

const login: PasswordLoginFacts = {
  serverField: 'store',
  login: { path: '/login', body: { password: '{secret_key}', mode: 'json' } },
  response: { token: ['token'], refreshToken: ['refresh'] },
  send: { kind: 'bearer' },
  renewal: { path: '/refresh', body: { refresh: '{refresh_token}' } },
  logout: { path: '/logout', bearer: 'token' },
};
const { keyForm: _keyForm, ...form } = keyWay;
const passwordWay = (over: Partial<PasswordLoginFacts>) =>
  facts({ connect: [{ ...form, scheme: 'password_login', passwordLogin: { ...login, ...over } }] });

test('a login with a password, and a key that signs tokens, are accepted', () => {
  expect(findContradictions(passwordWay({}))).toEqual([]);
  expect(findContradictions(passwordWay({ renewal: 'password' }))).toEqual([]);
  const send = { kind: 'jwt', algorithm: 'HS256', keyField: 'secret_key', keyId: null } as const;
  const keyForm = {
    serverField: 'store',
    send: { ...send, claims: { iss: '{store}' }, lifetimeSeconds: 60 },
  };
  expect(findContradictions(facts({ connect: [{ ...keyWay, keyForm }] }))).toEqual([]);
});

describe('it is a contradiction', () => {
  test.each<[string, Platform, string]>([
    [
      'to have a scheme that does not exist',
      facts({ connect: [{ ...keyWay, scheme: 'fax' as 'key_form' }] }),
      'an unknown scheme fax',
    ],
    [
      'to log in with a field that it does not ask for',
      passwordWay({ login: { path: '/login', body: { code: '{code}' } } }),
      'does not ask for code',
    ],
    [
      'to report an error at a field that it does not ask for',
      passwordWay({ fieldErrors: { missing: 'code' } }),
      'does not ask for code',
    ],
    [
      'to renew with a token that the login does not issue',
      passwordWay({ response: { token: ['token'] } }),
      'sends refresh_token, which its session lacks',
    ],
    [
      'to log out with what was entered',
      passwordWay({ logout: { path: '/logout', body: { key: '{secret_key}' } } }),
      'sends secret_key, which its session lacks',
    ],
    ...['.evil.example/login', '//evil.example/login', '@evil.example/login', ''].map(
      (path) =>
        [
          `to log in at the server of its user followed by ${path}`,
          passwordWay({ login: { path } }),
          'paths that do not begin with one slash',
        ] as [string, Platform, string],
    ),
    [
      'to have no server to log in to',
      facts({ ...passwordWay({ serverField: null }).manifest, baseUrl: null }),
      'asks for no server',
    ],
    [
      'to have an ability without permissions',
      facts({ permissions: { orders: ['orders'] } }),
      'permissions for refunds',
    ],
    [
      'to name permissions for an absent ability',
      facts({ permissions: { ...manifest.permissions, publishing: [] } }),
      'publishing, which it lacks',
    ],
    [
      'to need a permission that is not requested',
      facts({ permissions: { orders: ['read_all'], refunds: [] } }),
      'read_all',
    ],
    ['to refund orders that cannot be read', blind, 'orders that it cannot read'],
    ['to be a store without orders', { ...blind, manifest }, 'a store without orders'],
    ['to have facts about absent refunds', stingy, 'facts about refunds, which it lacks'],
    ['to refund without facts', facts({ refunds: null }), 'refunds and no facts'],
    [
      'to have a text limit and no publishing',
      facts({ text: { max: 1, unit: 'bytes', required: true } }),
      'facts about publishing',
    ],
    ['to publish without a text limit', { ...acme, publishing: publishing() }, 'publishing and no facts'],
    [
      'to count posts and name no metric',
      { ...acme, analytics: { ofPosts: async () => ok(new Map()) } },
      'analytics of posts and no',
    ],
    [
      'to count the account and name no metric',
      { ...acme, analytics: { ofPosts: async () => ok(new Map()), ofAccount: async () => ok(noMetrics) } },
      'analytics of the account and no',
    ],
    [
      'to report the account by day and name no metric',
      { ...acme, analytics: { ofDays: async () => ok([]) } },
      'analytics of the account and no',
    ],
    ['to have empty analytics', { ...acme, analytics: {} }, 'analytics of neither posts nor the account'],
    [
      'to say how posts are listed and list none',
      facts({ postList: { pages: 1, postsPerPage: 10, postsMax: null } }),
      'facts about a list of the account’s posts, which it lacks',
    ],
    ['to have options and no publishing', facts({ options: [option('a')] }), 'options and cannot publish'],
    ['to have media and no publishing', facts({ media }), 'media and cannot publish'],
    ['to have threads and no publishing', facts({ thread: true }), 'thread and cannot publish'],
    [
      'to have first comments and no publishing',
      facts({ firstComment: { max: null } }),
      'firstComment and cannot publish',
    ],
    [
      'to have titles and no publishing',
      facts({ title: { max: 1, unit: 'bytes', required: true } }),
      'title and cannot publish',
    ],
    ['to have link cards and no publishing', facts({ linkCards: true }), 'linkCards and cannot publish'],
    [
      'to have choices that are not listed anywhere',
      { ...facts({ options: [{ ...option('board'), type: 'choice' }] }), publishing: publishing() },
      'its option board has no choices',
    ],
    [
      'to accept media of no kind',
      { ...facts({ media: { ...media, images: null } }), publishing: publishing() },
      'it accepts no kind of media',
    ],
    [
      'to accept more images than media',
      { ...facts({ media: { ...media, max: 1 } }), publishing: publishing() },
      'for one kind of media exceeds',
    ],
    ['to have an option twice', facts({ options: [option('a'), option('a')] }), 'two options a'],
    [
      'to have a connect method twice',
      facts({ connect: [connectMethod, connectMethod] }),
      'duplicate connect method oauth',
    ],
    [
      'to request authorization as an app without the facts for it',
      facts({ connect: [{ ...connectMethod, scheme: 'client_credentials', oauth2: undefined }] }),
      'another scheme than its facts',
    ],
    [
      'to redirect to an account server that it does not ask for',
      facts({ connect: [{ ...connectMethod, oauth2: { ...oauth2, account: named('origin') } as never }] }),
      'connect method oauth does not ask for shop',
    ],
    [
      'to have accounts under a base URL that is missing',
      facts({
        baseUrl: null,
        connect: [
          { ...connectMethod, fields: [shop], oauth2: { ...oauth2, account: named('path') } as never },
        ],
      }),
      'below an address that it does not name',
    ],
    [
      'to have an OAuth method without its facts',
      facts({ connect: [{ ...connectMethod, oauth2: undefined }] }),
      'another scheme',
    ],
    [
      'to have OAuth facts on another scheme',
      facts({ connect: [{ ...connectMethod, scheme: 'atproto_oauth', oauth2 }] }),
      'another scheme',
    ],
    [
      'to have a key form without its facts',
      facts({ connect: [{ ...keyWay, keyForm: undefined }] }),
      'another scheme',
    ],
    [
      'to send a key that is not asked for',
      facts({ connect: [{ ...keyWay, fields: [] }] }),
      'does not ask for secret_key, store',
    ],
    [
      'to have no server',
      facts({
        baseUrl: null,
        connect: [
          { ...keyWay, keyForm: { serverField: null, send: { kind: 'bearer', field: 'secret_key' } } },
        ],
      }),
      'and none is common to all accounts',
    ],
    [
      'to have a connect method that does not request the permissions it needs itself',
      facts({ connect: [{ ...connectMethod, permissions: { orders: ['read_all'], refunds: ['refunds'] } }] }),
      'connect method oauth does not request read_all',
    ],
    [
      'to name permissions of a connect method for an absent ability',
      facts({ connect: [{ ...connectMethod, permissions: { orders: ['orders'], publishing: [] } }] }),
      'for other abilities than it has',
    ],
    [
      'to use another platform’s app without naming it',
      facts({ connect: [{ ...keyWay, appPlatform: 'other' }] }),
      'needs no app of another platform',
    ],
    [
      'to go through itself',
      facts({ connect: [{ ...connectMethod, appPlatform: manifest.id }] }),
      'needs no app of another platform',
    ],
    [
      'to support unpublishing by no connect method',
      {
        ...facts({ connect: [{ ...connectMethod, supportsUnpublish: false }] }),
        publishing: { ...publishing(), remove: async () => ok() },
      },
      'all or none of its connect methods must support unpublishing',
    ],
    ['to have an invalid verification date', facts({ verifiedOn: 'yesterday' }), 'yesterday is not a date'],
  ])('%s', (_name, platform, reason) => {
    expect(findContradictions(platform).join('; ')).toContain(reason);
  });
});

function option(name: string) {
  return { name, label: name, type: 'string', required: false } as const;
}

function publishing(): NonNullable<Platform['publishing']> {
  return {
    count: (text) => text.length,
    finalText: (draft) => draft.text,
    publish: () => Promise.reject(new Error('not called')),
  };
}
