export { guardedAgents } from './guarded-agents.js';
export { guardedFetch } from './guarded-fetch.js';
export { undiciWebhooks } from './undici-webhooks.js';
export { checkMailServer, smtpMailer } from './email/smtp-mailer.js';
export { undiciDownloads } from './undici-downloads.js';
export { undiciOutbound, type OutboundObserver } from './undici-outbound.js';
