import type { ConnectField, ConnectMethod, Manifest, OAuth2Facts } from '@switchboard/domain/ports';

/** What neither kind of platform has, unless its manifest states it. */
const bare = {
  sandbox: false,
  apiVersion: null,
  apiVersionEndsOn: null,
  title: null,
  thread: false,
  firstComment: null,
  linkCards: false,
  options: [],
  metrics: [],
  postList: null,
} as const satisfies Partial<Manifest>;

export const socialPlatform = {
  ...bare,
  kind: 'social',
  refunds: null,
} as const satisfies Partial<Manifest>;

/** A store publishes nothing. */
export const storePlatform = {
  ...bare,
  kind: 'commerce',
  text: null,
  media: null,
} as const satisfies Partial<Manifest>;

/** The facts of a store's refunds that apply unless its manifest states otherwise. */
export const plainRefunds = {
  lines: false,
  shipping: false,
  restock: false,
  restockByLine: false,
  locations: false,
  notifyCustomer: false,
  offline: false,
  settlesLater: false,
  idempotent: false,
} as const satisfies Manifest['refunds'];

const withoutExtensions = { revokePath: null, pkce: false, clientAuth: 'body', issuerPath: null } as const;

/** A login with the operator's app and no form: RFC 6749 without its extensions, unless stated. */
export const oauthLogin = (
  label: string,
  facts: Omit<OAuth2Facts, keyof typeof withoutExtensions> & Partial<OAuth2Facts>,
): ConnectMethod => ({
  id: 'oauth',
  scheme: 'oauth2',
  label,
  fields: [],
  needsApp: true,
  oauth2: { ...withoutExtensions, ...facts },
});

/** A login with keys that the account owner enters, without an app of the operator. */
export const keyLogin = (facts: Omit<ConnectMethod, 'scheme' | 'needsApp'>): ConnectMethod => ({
  ...facts,
  scheme: 'key_form',
  needsApp: false,
});

/** A login with a user name and a password, which are exchanged for a token. */
export const passwordLogin = (facts: Omit<ConnectMethod, 'scheme' | 'needsApp'>): ConnectMethod => ({
  ...facts,
  scheme: 'password_login',
  needsApp: false,
});

export const requiredField = (
  kind: ConnectField['kind'],
  name: string,
  label: string,
  hint: string,
  placeholder = '',
): ConnectField => ({ kind, name, label, hint, required: true, placeholder });
