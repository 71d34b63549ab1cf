export { isPublicAddress } from './addresses.js';
export { guardedAgents, type GuardedAgents } from './guarded-agents.js';
export { guardedFetch } from './guarded-fetch.js';
export { AddressRefusedError, NameResolutionError, type HostResolver } from './guarded-lookup.js';
export { OutboundError } from './outbound-error.js';
export { undiciWebhooks } from './undici-webhooks.js';
export { checkMailServer, smtpMailer } from './email/smtp-mailer.js';
export { undiciDownloads } from './undici-downloads.js';
export {
  undiciOutbound,
  type OutboundClientOptions,
  type OutboundOptions,
  type OutboundObserver,
  type UndiciOutbound,
} from './undici-outbound.js';
