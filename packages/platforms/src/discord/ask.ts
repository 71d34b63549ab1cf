import {
  KEY_IN_PATH,
  type PlatformAnswer,
  type PlatformFailureCode,
  type PlatformRequest,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { ask as askPlatform, type Words } from '../kit/answers.js';
import { WEBHOOK } from './manifest.js';
import { dialect } from './wire.js';

/** A webhook knows nothing but its own messages; a bot may look around. */
export const isWebhook = ({ grantedPermissions }: Pick<Session, 'grantedPermissions'>): boolean =>
  grantedPermissions.includes(WEBHOOK);

/** Where the account says something: below the webhook that the login is, or in the bot's channel. */
export const placeOf = (session: Session): string =>
  isWebhook(session)
    ? `/webhooks/${encodeURIComponent(session.subject ?? '')}/${KEY_IN_PATH}`
    : `/channels/${encodeURIComponent(session.account.id)}`;

/** Asks Discord in the version that is asked for. `onRefusal` may answer for some of the refusals first. */
export const ask = <Value, Own extends Result<unknown> = never>(
  session: Session,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (words: Words, answer: PlatformAnswer) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  askPlatform(
    session,
    dialect,
    {
      ...request,
      path: `/api/${session.apiVersion ?? 'v10'}${request.path}`,
      refusesCredential: isNoWebhook,
    },
    schema,
    onRefusal,
  );

const UNKNOWN_WEBHOOK = 10_015;

/** A webhook that somebody deleted is not accepted any more; of a wrong token Discord says so with a 401. */
const isNoWebhook = ({ status, json }: PlatformAnswer): boolean =>
  status === 404 &&
  typeof json === 'object' &&
  json !== null &&
  'code' in json &&
  json.code === UNKNOWN_WEBHOOK;

const UNKNOWN_MESSAGE = '10008';
export const isGone = ({ code }: Words): boolean => code === UNKNOWN_MESSAGE;
