import { randomBytes, randomUUID } from 'node:crypto';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { redirectTo, consentPage, messagePage } from '../wire/consent-page.js';

/** An app of the Developer Portal. */
export interface StoreApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

export interface StoreGrant {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export interface StoreOauthOptions {
  /** The hash in `stores/{hash}`. */
  readonly storeHash: string;
  readonly apps: readonly StoreApp[];
}

interface AuthorizationCode extends StoreGrant {
  readonly redirectUri: string;
}

const REQUIRED = ['client_id', 'client_secret', 'code', 'context', 'scope', 'grant_type', 'redirect_uri'];

/**
 * Consent, codes and permanent tokens of one store, as documented by BigCommerce
 * (packages/platforms/src/bigcommerce/NOTES.md).
 */
export function storeOauth({ storeHash, apps }: StoreOauthOptions) {
  const context = `stores/${storeHash}`;
  const accountUuid = randomUUID();
  const codes = new Map<string, AuthorizationCode>();
  const tokens = new Map<string, StoreGrant>();
  let respondsAs = context;
  const appOf = (clientId: unknown) => apps.find((app) => app.clientId === clientId);

  function readAuthorizationRequest(fields: Readonly<Record<string, unknown>>) {
    const app = appOf(fields['client_id']);
    const redirectUri = textOf(fields['redirect_uri']);
    if (!app || !app.redirectUris.includes(redirectUri)) return messagePage(400, 'This app cannot be found.');
    if (fields['response_type'] !== 'code') return messagePage(400, 'unsupported_response_type');
    const requested = textOf(fields['context']);
    if (requested !== '' && requested !== context)
      return messagePage(403, 'You are not a user of this store.');
    return { app, redirectUri, scopes: textOf(fields['scope']).split(' ') };
  }

  function consent(query: URLSearchParams): WireResponse {
    const requested = readAuthorizationRequest(Object.fromEntries(query));
    return 'status' in requested ? requested : consentPage(requested.app.clientId, query);
  }

  function decide(fields: Readonly<Record<string, unknown>>): WireResponse {
    const requested = readAuthorizationRequest(fields);
    if ('status' in requested) return requested;
    // A user who does not confirm stays in the control panel.
    if (fields['decision'] !== 'approve') return messagePage(200, 'Apps');
    const { app, redirectUri, scopes } = requested;
    const code = randomBytes(20).toString('hex');
    codes.set(code, { clientId: app.clientId, scopes, redirectUri });
    const state = textOf(fields['state']);
    return redirectTo(redirectUri, {
      account_uuid: accountUuid,
      code,
      context,
      scope: scopes.join(' '),
      ...(state !== '' && { state }),
    });
  }

  function token(fields: Readonly<Record<string, unknown>>): WireResponse {
    const missing = REQUIRED.find((name) => textOf(fields[name]) === '');
    if (missing !== undefined) {
      return { status: 400, json: { error: 'invalid_request', error_description: `${missing} is missing` } };
    }
    const app = appOf(fields['client_id']);
    if (app?.clientSecret !== fields['client_secret'])
      return { status: 401, json: { error: 'invalid_client' } };
    const code = codes.get(textOf(fields['code']));
    codes.delete(textOf(fields['code']));
    const fits =
      code?.clientId === fields['client_id'] &&
      code?.redirectUri === fields['redirect_uri'] &&
      code?.scopes.join(' ') === fields['scope'] &&
      fields['context'] === context &&
      fields['grant_type'] === 'authorization_code';
    if (!code || !fits) return { status: 400, json: { error: 'invalid_grant' } };
    // Each app has one token: reinstalling the app invalidates the previous one.
    for (const [text, held] of tokens) if (held.clientId === code.clientId) tokens.delete(text);
    const access = randomBytes(16).toString('hex');
    tokens.set(access, { clientId: code.clientId, scopes: code.scopes });
    const user = { id: 24654, username: 'merchant@example.test', email: 'merchant@example.test' };
    return okResponse({
      access_token: access,
      scope: code.scopes.join(' '),
      user,
      owner: user,
      context: respondsAs,
      account_uuid: accountUuid,
    });
  }

  return {
    grantOf: (access: string): StoreGrant | null => tokens.get(access) ?? null,
    /** The store that the token endpoint names from now on. */
    respondAs: (stated: string) => void (respondsAs = stated),
    /** The merchant uninstalls the app. */
    uninstall: () => tokens.clear(),
    serve({ method, path, query, body }: WireRequest): WireResponse | null {
      switch (`${method} ${path}`) {
        case 'GET /oauth2/authorize':
          return consent(query);
        case 'POST /oauth2/authorize':
          return decide(fieldsOf(body));
        case 'POST /oauth2/token':
          return token(fieldsOf(body));
        default:
          return null;
      }
    },
  };
}

export type StoreOauth = ReturnType<typeof storeOauth>;
