import type { Outbound } from '@switchboard/domain/ports';
import { toLookupFailure, type MastodonLookup } from './mastodon-server.js';
import { parseJsonObject } from './parse-json.js';

export interface AppRegistration {
  readonly clientName: string;
  readonly website: string;
  readonly redirectUri: string;
  readonly scope: string;
}

export interface RegisteredApp {
  readonly clientId: string;
  readonly clientSecret: string;
}

const LIMITS = { deadlineSeconds: 15, maxBytes: 64 * 1024 } as const;

/**
 * Registers an app at an instance (https://docs.joinmastodon.org/methods/apps/#create). The endpoint requires
 * no authentication.
 */
export async function registerApp(
  outbound: Outbound,
  url: string,
  { clientName, website, redirectUri, scope }: AppRegistration,
): Promise<MastodonLookup<RegisteredApp>> {
  // Servers before 4.3, and other software with Mastodon's API, accept redirect URIs as one string only.
  for (const redirectUris of [[redirectUri], redirectUri]) {
    const outcome = await outbound.request({
      method: 'POST',
      url,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: clientName, redirect_uris: redirectUris, scopes: scope, website }),
      ...LIMITS,
    });
    if (outcome.kind !== 'answered') return toLookupFailure(outcome);
    if (outcome.status === 429) return { kind: 'too_many' };
    if (outcome.status >= 500) return { kind: 'unavailable' };
    const { client_id: clientId, client_secret: clientSecret } = parseJsonObject(outcome.body);
    if (outcome.status === 200 && isVisibleAscii(clientId) && isVisibleAscii(clientSecret)) {
      return { kind: 'found', value: { clientId, clientSecret } };
    }
    if (outcome.status !== 400 && outcome.status !== 422) break;
  }
  return { kind: 'nothing' };
}

const isVisibleAscii = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 1_000 && /^[\x21-\x7e]+$/.test(value);
