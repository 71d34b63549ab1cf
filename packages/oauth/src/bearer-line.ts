import type { Outbound, OutboundAnswer } from '@switchboard/domain';
import type { Line } from './scheme.js';

/** The token as RFC 6750 wants it. */
export const sendBearer = (outbound: Outbound, token: string): Line['send'] => sendToken(outbound, token);

/** The token in a header of the platform's own, or as RFC 6750 wants it. */
export const sendToken =
  (outbound: Outbound, token: string, header?: string): Line['send'] =>
  (request, scheme) =>
    outbound.request({ ...request, headers: { ...request.headers, ...tokenHeader(token, header, scheme) } });

export const tokenHeader = (
  token: string,
  header?: string,
  scheme = 'Bearer',
): Readonly<Record<string, string>> =>
  header === undefined ? { authorization: `${scheme} ${token}` } : { [header.toLowerCase()]: token };

export const isUnauthorized = (answer: OutboundAnswer): boolean => answer.status === 401;
