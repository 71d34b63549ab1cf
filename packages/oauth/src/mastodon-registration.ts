import type { Outbound } from '@switchboard/domain';
import { toLookupFailure, parseJsonObject, type MastodonLookup } from './mastodon-server.js';

export interface AppRegistration {
  readonly clientName: string;
  readonly website: string;
  readonly redirectUri: string;
  readonly scope: string;
}

/** The id and secret of an app that an instance made for us. */
export interface RegisteredApp {
  readonly clientId: string;
  readonly clientSecret: string;
}

const LIMITS = { deadlineSeconds: 15, maxBytes: 64 * 1024 } as const;

/** Makes an app at an instance (https://docs.joinmastodon.org/methods/apps/#create). Nobody has to be logged in for that. */
export async function registerApp(
  outbound: Outbound,
  url: string,
  { clientName, website, redirectUri, scope }: AppRegistration,
): Promise<MastodonLookup<RegisteredApp>> {
  // Servers from before 4.3, and other software that speaks Mastodon's API, know redirect URIs as one text.
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
