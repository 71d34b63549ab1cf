import { randomBytes, randomUUID } from 'node:crypto';
import { messagePage } from '../wire/consent-page.js';
import { textOf } from '../wire/exchange.js';
import { oauthServer, type OAuthApp } from '../wire/oauth-server.js';

interface StoreOauthOptions {
  /** The hash in `stores/{hash}`. */
  readonly storeHash: string;
  readonly apps: readonly OAuthApp[];
  readonly now?: () => Date;
}

const REQUIRED = ['client_id', 'client_secret', 'code', 'context', 'scope', 'grant_type', 'redirect_uri'];

/**
 * Consent, codes and permanent tokens of one store, as documented by BigCommerce
 * (packages/platforms/src/bigcommerce/NOTES.md).
 */
export function storeOauth({ storeHash, apps, now = () => new Date() }: StoreOauthOptions) {
  const context = `stores/${storeHash}`;
  const account_uuid = randomUUID();
  let respondsAs = context;
  const server = oauthServer({
    apps,
    now,
    account: context,
    paths: { authorize: '/oauth2/authorize', token: '/oauth2/token' },
    knows: () => true,
    codeSeconds: 86_400,
    accessSeconds: Infinity,
    refresh: null,
    // Each app has one token: reinstalling the app invalidates the previous one.
    onlyToken: 'replace',
    // A user who does not confirm stays in the control panel.
    denied: 'stays',
    checkAuthorization: ({ context: requested = '' }) =>
      requested === '' || requested === context
        ? null
        : messagePage(403, 'You are not a user of this store.'),
    callback: (parameters, _app, { scopes }) => ({
      ...parameters,
      account_uuid,
      context,
      scope: scopes.join(' '),
    }),
    checkToken(fields) {
      const missing = REQUIRED.find((name) => textOf(fields[name]) === '');
      const error_description = `${missing} is missing`;
      return missing === undefined
        ? null
        : { status: 400, json: { error: 'invalid_request', error_description } };
    },
    fitsCode: (fields, { scopes }) => fields['scope'] === scopes.join(' ') && fields['context'] === context,
    newToken: () => randomBytes(20).toString('hex'),
    present({ access_token, scope }) {
      const user = { id: 24654, username: 'merchant@example.test', email: 'merchant@example.test' };
      return { access_token, scope, user, owner: user, context: respondsAs, account_uuid };
    },
  });
  return {
    ...server,
    /** The store that the token endpoint names from now on. */
    respondAs: (stated: string) => void (respondsAs = stated),
  };
}
