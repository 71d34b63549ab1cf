import type { WireResponse } from '../wire/exchange.js';

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes */
export const discordError = (
  status: number,
  code: number,
  message: string,
  errors?: object,
): WireResponse => ({
  status,
  json: { message, code, ...(errors && { errors }) },
});

export const invalid = (field: string, code: string, message: string): WireResponse =>
  discordError(400, 50_035, 'Invalid Form Body', { [field]: { _errors: [{ code, message }] } });

export const unauthorized = discordError(401, 0, '401: Unauthorized');
export const notFound = discordError(404, 0, '404: Not Found');
export const unknownChannel = discordError(404, 10_003, 'Unknown Channel');
export const unknownMessage = discordError(404, 10_008, 'Unknown Message');
export const unknownWebhook = discordError(404, 10_015, 'Unknown Webhook');
export const invalidWebhookToken = discordError(401, 50_027, 'Invalid Webhook Token');
export const missingAccess = discordError(403, 50_001, 'Missing Access');
export const cannotReply = discordError(
  403,
  160_002,
  'Cannot reply without permission to read message history',
);
export const missingPermissions = discordError(403, 50_013, 'Missing Permissions');

/** https://docs.discord.com/developers/topics/rate-limits: in seconds, rounded up in the header. */
export const rateLimited = (seconds: number): WireResponse => ({
  status: 429,
  json: { message: 'You are being rate limited.', retry_after: seconds, global: false },
  headers: { 'retry-after': String(Math.ceil(seconds)), 'x-ratelimit-scope': 'user' },
});
