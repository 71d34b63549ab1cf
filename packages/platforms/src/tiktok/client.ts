import {
  ok,
  quotePlatform,
  refuse,
  type Refusal,
  type PlatformResponse,
  type PlatformFailureCode,
  type PlatformRequest,
  type Session,
} from '@switchboard/platform-kit';
import { z } from 'zod';
import { createPlatformClient, type PlatformError } from '@switchboard/platform-kit/platform-client';
import { codeIn, errorMapping } from './wire.js';

const client = createPlatformClient(errorMapping, { explainError });

export const requestJson: typeof client.requestJson = (session, ...requested) =>
  client.requestJson(normalizeSession(session), ...requested);

/**
 * TikTok reports errors in successful responses too, and with the same 401 for an expired token and a missing
 * permission.
 */
const normalizeSession = (session: Session): Session => ({
  ...session,
  async request(requested) {
    const outcome = await session.request({
      ...withCharset(requested),
      acceptsErrorStatuses: true,
      isCredentialRejected,
    });
    if (!outcome.ok) return outcome;
    const response = { ...outcome.value, json: parseWithIds(outcome.value) };
    if (!response.ok || codeIn(response) === 'ok') return ok(response);
    // An error next to the ID of a started post contradicts itself: TikTok may have accepted it.
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

const isCredentialRejected = (response: PlatformResponse): boolean =>
  response.status === 401 && !codeIn(response)?.startsWith('scope_');

const IDS = /"publicaly_available_post_id"\s*:\s*\[[\d\s,]+\]/;

/** Post IDs are numbers beyond the safe integer range: they are parsed as strings. */
function parseWithIds({ body, json }: PlatformResponse): unknown {
  const text = new TextDecoder().decode(body);
  const quoted = text.replace(IDS, (ids) => ids.replace(/\d+/g, '"$&"'));
  return json === undefined || quoted === text ? json : (JSON.parse(quoted) as unknown);
}

const LATER_SECONDS = 3_600;

/** Errors that only time resolves. */
const rateLimitMessages: Readonly<Record<string, string>> = {
  spam_risk_too_many_posts:
    'The account has reached TikTok’s daily limit for posts through apps. The account owner can post in the TikTok app.',
  reached_active_user_cap:
    'TikTok’s daily limit of accounts that post with this installation’s app is reached. Its operator can apply for an audit by TikTok, which lifts the limit.',
};

/** Errors that a user or operator can resolve. */
const fixableMessages: Readonly<Record<string, string>> = {
  unaudited_client_can_only_post_to_private_accounts:
    'TikTok has not audited the app of this installation. Until the operator completes the audit, the account must be private and the post visible only to its owner (SELF_ONLY).',
  url_ownership_unverified:
    'TikTok fetches photos from verified domains only. The operator must verify the domain of SWITCHBOARD_PUBLIC_URL among the URL properties of the app at TikTok.',
  privacy_level_option_mismatch:
    'The account no longer offers this privacy_level. Its publishing options list the available ones.',
  spam_risk_user_banned_from_posting:
    'TikTok does not let this account post. The TikTok app shows the account owner the reason.',
  auth_removed: 'The account owner revoked the permission. Reconnect the account.',
};

/** A refusal with our own message, if it is more specific. */
export function explainError({
  code = '',
  message,
}: PlatformError): Refusal<PlatformFailureCode> | undefined {
  const platform = quotePlatform(errorMapping.name, message, code);
  if (rateLimitMessages[code] !== undefined)
    return refuse('platform.rate_limited', rateLimitMessages[code], {
      platform,
      retryAfterSeconds: LATER_SECONDS,
    });
  if (fixableMessages[code] === undefined) return undefined;
  const meaning = code === 'auth_removed' ? 'connection.needs_reauth' : 'platform.refused';
  return refuse(meaning, fixableMessages[code], { platform });
}
