import type { Outbound, OutboundAnswer } from '@switchboard/domain';
import type { Line } from './scheme.js';

/** The token as RFC 6750 wants it. */
export const sendBearer =
  (outbound: Outbound, token: string): Line['send'] =>
  (request) =>
    outbound.request({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });

export const isUnauthorized = (answer: OutboundAnswer): boolean => answer.status === 401;
