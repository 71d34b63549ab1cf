import type { WireAnswer } from '../wire/exchange.js';

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes */
export const refused = (status: number, code: number, message: string, errors?: object): WireAnswer => ({
  status,
  json: { message, code, ...(errors && { errors }) },
});

/** What is wrong with a field. */
export const invalid = (field: string, code: string, message: string): WireAnswer =>
  refused(400, 50_035, 'Invalid Form Body', { [field]: { _errors: [{ code, message }] } });

export const unauthorized = refused(401, 0, '401: Unauthorized');
export const notFound = refused(404, 0, '404: Not Found');
export const unknownChannel = refused(404, 10_003, 'Unknown Channel');
export const unknownMessage = refused(404, 10_008, 'Unknown Message');
export const unknownWebhook = refused(404, 10_015, 'Unknown Webhook');
export const invalidWebhookToken = refused(401, 50_027, 'Invalid Webhook Token');
export const missingAccess = refused(403, 50_001, 'Missing Access');
export const cannotReply = refused(403, 160_002, 'Cannot reply without permission to read message history');
export const missingPermissions = refused(403, 50_013, 'Missing Permissions');

/** https://docs.discord.com/developers/topics/rate-limits: seconds, as whole ones in the header. */
export const limited = (seconds: number): WireAnswer => ({
  status: 429,
  json: { message: 'You are being rate limited.', retry_after: seconds, global: false },
  headers: { 'retry-after': String(Math.ceil(seconds)), 'x-ratelimit-scope': 'user' },
});
