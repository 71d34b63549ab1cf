import { KEY_IN_PATH, type PlatformResponse, type Session } from '@switchboard/platform-kit';
import { createPlatformClient, nullIfCode } from '@switchboard/platform-kit/platform-client';
import { WEBHOOK } from './manifest.js';
import { errorMapping } from './wire.js';

/** A webhook reads only its own messages; a bot reads the channel. */
export const isWebhook = ({ grantedPermissions }: Pick<Session, 'grantedPermissions'>): boolean =>
  grantedPermissions.includes(WEBHOOK);

/** Where the account posts: below the webhook's URL, or in the bot's channel. */
export const messagesPathOf = (session: Session): string =>
  isWebhook(session)
    ? `/webhooks/${encodeURIComponent(session.subject ?? '')}/${KEY_IN_PATH}`
    : `/channels/${encodeURIComponent(session.account.id)}`;

const UNKNOWN_WEBHOOK = 10_015;

/** A deleted webhook counts as revoked; for a wrong token Discord responds with a 401. */
const isUnknownWebhook = ({ status, json }: PlatformResponse): boolean =>
  status === 404 &&
  typeof json === 'object' &&
  json !== null &&
  'code' in json &&
  json.code === UNKNOWN_WEBHOOK;

/** Prefixed with the configured version. */
export const { exists, remove, requestJson } = createPlatformClient(errorMapping, {
  prepareRequest: (request, { apiVersion }) => ({
    ...request,
    path: `/api/${apiVersion ?? 'v10'}${request.path}`,
    isCredentialRejected: isUnknownWebhook,
  }),
});

/** For a message that does not exist. */
export const nullIfUnknown = nullIfCode('10008');
