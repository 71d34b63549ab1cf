import { KEY_IN_PATH, type PlatformResponse, type Session } from '@switchboard/domain';
import { createPlatformClient, type PlatformError } from '../kit/platform-client.js';
import { WEBHOOK } from './manifest.js';
import { errorMapping } from './wire.js';

/** A webhook knows nothing but its own messages; a bot may look around. */
export const isWebhook = ({ grantedPermissions }: Pick<Session, 'grantedPermissions'>): boolean =>
  grantedPermissions.includes(WEBHOOK);

/** Where the account says something: below the webhook that the login is, or in the bot's channel. */
export const messagesPathOf = (session: Session): string =>
  isWebhook(session)
    ? `/webhooks/${encodeURIComponent(session.subject ?? '')}/${KEY_IN_PATH}`
    : `/channels/${encodeURIComponent(session.account.id)}`;

const UNKNOWN_WEBHOOK = 10_015;

/** A webhook that somebody deleted is not accepted any more; of a wrong token Discord says so with a 401. */
const isUnknownWebhook = ({ status, json }: PlatformResponse): boolean =>
  status === 404 &&
  typeof json === 'object' &&
  json !== null &&
  'code' in json &&
  json.code === UNKNOWN_WEBHOOK;

/** Discord is asked in the version that is set. */
export const { requestJson } = createPlatformClient(errorMapping, {
  prepareRequest: (request, { apiVersion }) => ({
    ...request,
    path: `/api/${apiVersion ?? 'v10'}${request.path}`,
    isCredentialRejected: isUnknownWebhook,
  }),
});

const UNKNOWN_MESSAGE = '10008';
export const isUnknownMessage = ({ code }: PlatformError): boolean => code === UNKNOWN_MESSAGE;
