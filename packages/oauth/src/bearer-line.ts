import type { Outbound, OutboundAnswer } from '@switchboard/domain';
import type { Line } from './scheme.js';

/** The token as RFC 6750 wants it. */
export const sendBearer = (outbound: Outbound, token: string): Line['send'] => sendToken(outbound, token);

/** The token in a header of the platform's own, or as RFC 6750 wants it. */
export const sendToken = (outbound: Outbound, token: string, header?: string): Line['send'] => {
  const own = tokenHeader(token, header);
  return (request) => outbound.request({ ...request, headers: { ...request.headers, ...own } });
};

export const tokenHeader = (token: string, header?: string): Readonly<Record<string, string>> =>
  header === undefined ? { authorization: `Bearer ${token}` } : { [header.toLowerCase()]: token };

export const isUnauthorized = (answer: OutboundAnswer): boolean => answer.status === 401;
