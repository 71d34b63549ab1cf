import {
  ok,
  quotePlatform,
  refuse,
  type PlatformResponse,
  type PlatformFailureCode,
  type PlatformRequest,
  type Refusal,
  type Session,
} from '@switchboard/domain';
import { z } from 'zod';
import { createPlatformClient, type PlatformError } from '../kit/platform-client.js';
import { codeIn, errorMapping } from './wire.js';

const client = createPlatformClient(errorMapping, { explainError });

export const requestJson: typeof client.requestJson = (session, ...requested) => client.requestJson(normalizeSession(session), ...requested);

/** TikTok says no in a success too, and with one and the same 401 to a token that has ended and to one that may not do this. */
const normalizeSession = (session: Session): Session => ({
  ...session,
  async request(requested) {
    const outcome = await session.request({ ...withCharset(requested), acceptsErrorStatuses: true, isCredentialRejected: refusesCredential });
    if (!outcome.ok) return outcome;
    const response = { ...outcome.value, json: parseWithIds(outcome.value) };
    if (!response.ok || codeIn(response) === 'ok') return ok(response);
    // An error beside the id of a post that was begun contradicts itself: TikTok may have taken it.
    return ok({ ...response, ok: false, status: started.safeParse(response.json).success ? 502 : 400 });
  },
});

const started = z.object({ data: z.object({ publish_id: z.string().min(1) }) });

/** TikTok requires the charset (docs: content-posting-api-reference-query-creator-info, `Content-Type`). */
const withCharset = ({ json, ...rest }: PlatformRequest): PlatformRequest =>
  json === undefined
    ? rest
    : {
        ...rest,
        body: {
          type: 'application/json; charset=UTF-8',
          bytes: new TextEncoder().encode(JSON.stringify(json)),
        },
      };

const refusesCredential = (response: PlatformResponse): boolean =>
  response.status === 401 && !codeIn(response)?.startsWith('scope_');

const IDS = /"publicaly_available_post_id"\s*:\s*\[[\d\s,]+\]/;

/** Ids of posts are written as numbers with more digits than a number keeps here: they are read as texts. */
function parseWithIds({ body, json }: PlatformResponse): unknown {
  const text = new TextDecoder().decode(body);
  const quoted = text.replace(IDS, (ids) => ids.replace(/\d+/g, '"$&"'));
  return json === undefined || quoted === text ? json : (JSON.parse(quoted) as unknown);
}

const LATER_SECONDS = 3_600;

/** What time alone mends. */
const rateLimitMessages: Readonly<Record<string, string>> = {
  spam_risk_too_many_posts:
    'TikTok takes no more posts of this account through apps today. Its owner can post in TikTok’s own app.',
  reached_active_user_cap:
    'TikTok lets no more accounts post with this installation’s app today. Its operator can ask TikTok for an audit, which lifts that.',
};

/** What somebody can mend, and who. */
const fixableMessages: Readonly<Record<string, string>> = {
  unaudited_client_can_only_post_to_private_accounts:
    'TikTok has not audited this installation’s app. Until its operator has had that done, the account must be set to private and the post be seen by its owner alone (SELF_ONLY).',
  url_ownership_unverified:
    'TikTok fetches photos from verified domains only. The operator must verify the domain of SWITCHBOARD_PUBLIC_URL among the URL properties of the app at TikTok.',
  privacy_level_option_mismatch:
    'The account does not offer this privacy_level any more. Its publishing options name those that it has.',
  spam_risk_user_banned_from_posting:
    'TikTok lets this account post nothing. Its owner can see why in TikTok’s own app.',
  auth_removed: 'The account’s owner took the permission back. Connect the account again.',
};

/** A refusal in our own words, where they say more than that it is one. */
export function explainError({ code = '', message }: PlatformError): Refusal<PlatformFailureCode> | undefined {
  const platform = quotePlatform(errorMapping.name, message, code);
  if (rateLimitMessages[code] !== undefined)
    return refuse('platform.rate_limited', rateLimitMessages[code], { platform, retryAfterSeconds: LATER_SECONDS });
  if (fixableMessages[code] === undefined) return undefined;
  const meaning = code === 'auth_removed' ? 'connection.needs_reauth' : 'platform.refused';
  return refuse(meaning, fixableMessages[code], { platform });
}
