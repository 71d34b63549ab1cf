import { createHmac } from 'node:crypto';

/** The base64 of the HMAC-SHA256, as most stores sign their webhooks. */
export const hmacOf = (secret: string, content: string): string =>
  createHmac('sha256', secret).update(content).digest('base64');
