import { KEY_IN_PATH, type PlatformAnswer, type Session } from '@switchboard/domain';
import { speaking, type Words } from '../kit/answers.js';
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

const UNKNOWN_WEBHOOK = 10_015;

/** A webhook that somebody deleted is not accepted any more; of a wrong token Discord says so with a 401. */
const isNoWebhook = ({ status, json }: PlatformAnswer): boolean =>
  status === 404 &&
  typeof json === 'object' &&
  json !== null &&
  'code' in json &&
  json.code === UNKNOWN_WEBHOOK;

/** Discord is asked in the version that is set. */
export const { ask } = speaking(dialect, {
  asked: (request, { apiVersion }) => ({
    ...request,
    path: `/api/${apiVersion ?? 'v10'}${request.path}`,
    refusesCredential: isNoWebhook,
  }),
});

const UNKNOWN_MESSAGE = '10008';
export const isGone = ({ code }: Words): boolean => code === UNKNOWN_MESSAGE;
