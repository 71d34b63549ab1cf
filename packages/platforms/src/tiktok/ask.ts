import {
  ok,
  quotePlatform,
  refuse,
  type PlatformAnswer,
  type PlatformFailureCode,
  type PlatformRequest,
  type Refused,
  type Session,
} from '@switchboard/domain';
import { z } from 'zod';
import { speaking, type Words } from '../kit/answers.js';
import { codeIn, dialect } from './wire.js';

const tiktok = speaking(dialect, { explained });

export const ask: typeof tiktok.ask = (session, ...asked) => tiktok.ask(plain(session), ...asked);

/** TikTok says no in a success too, and with one and the same 401 to a token that has ended and to one that may not do this. */
const plain = (session: Session): Session => ({
  ...session,
  async request(asked) {
    const outcome = await session.request({ ...withCharset(asked), everyAnswer: true, refusesCredential });
    if (!outcome.ok) return outcome;
    const answer = { ...outcome.value, json: exactly(outcome.value) };
    if (!answer.ok || codeIn(answer) === 'ok') return ok(answer);
    // An error beside the id of a post that was begun contradicts itself: TikTok may have taken it.
    return ok({ ...answer, ok: false, status: begun.safeParse(answer.json).success ? 502 : 400 });
  },
});

const begun = z.object({ data: z.object({ publish_id: z.string().min(1) }) });

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

const refusesCredential = (answer: PlatformAnswer): boolean =>
  answer.status === 401 && !codeIn(answer)?.startsWith('scope_');

const IDS = /"publicaly_available_post_id"\s*:\s*\[[\d\s,]+\]/;

/** Ids of posts are written as numbers with more digits than a number keeps here: they are read as texts. */
function exactly({ body, json }: PlatformAnswer): unknown {
  const text = new TextDecoder().decode(body);
  const quoted = text.replace(IDS, (ids) => ids.replace(/\d+/g, '"$&"'));
  return json === undefined || quoted === text ? json : (JSON.parse(quoted) as unknown);
}

const LATER_SECONDS = 3_600;

/** What time alone mends. */
const later: Readonly<Record<string, string>> = {
  spam_risk_too_many_posts:
    'TikTok takes no more posts of this account through apps today. Its owner can post in TikTok’s own app.',
  reached_active_user_cap:
    'TikTok lets no more accounts post with this installation’s app today. Its operator can ask TikTok for an audit, which lifts that.',
};

/** What somebody can mend, and who. */
const mendable: Readonly<Record<string, string>> = {
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
export function explained({ code = '', message }: Words): Refused<PlatformFailureCode> | undefined {
  const platform = quotePlatform(dialect.name, message, code);
  if (later[code] !== undefined)
    return refuse('platform.rate_limited', later[code], { platform, retryAfterSeconds: LATER_SECONDS });
  if (mendable[code] === undefined) return undefined;
  const meaning = code === 'auth_removed' ? 'connection.needs_reauth' : 'platform.refused';
  return refuse(meaning, mendable[code], { platform });
}
