import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Metrics are restricted to direct requests from loopback, and to a bearer token of their own. */
export function mayReadMetrics({ headers, socket }: IncomingMessage, token: string | null): boolean {
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (token !== null && bearer !== undefined) {
    const [a, b] = [Buffer.from(bearer), Buffer.from(token)];
    return a.length === b.length && timingSafeEqual(a, b);
  }
  const direct = headers['x-forwarded-for'] === undefined && headers.forwarded === undefined;
  return direct && /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '');
}
