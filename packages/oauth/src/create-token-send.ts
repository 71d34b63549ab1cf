import type { Outbound, OutboundResponse } from '@switchboard/domain/ports';
import type { AuthenticatedTransport } from './auth-scheme.js';

/** Sends the token as RFC 6750 requires. */
export const createBearerSend = (outbound: Outbound, token: string): AuthenticatedTransport['send'] =>
  createTokenSend(outbound, token);

/** Sends the token in the platform's own header, or as RFC 6750 requires. */
export const createTokenSend =
  (outbound: Outbound, token: string, header?: string): AuthenticatedTransport['send'] =>
  (request, scheme) =>
    outbound.request({
      ...request,
      headers: { ...request.headers, ...createTokenHeader(token, header, scheme) },
    });

export const createTokenHeader = (
  token: string,
  header?: string,
  scheme = 'Bearer',
): Readonly<Record<string, string>> =>
  header === undefined ? { authorization: `${scheme} ${token}` } : { [header.toLowerCase()]: token };

export const isUnauthorized = (answer: OutboundResponse): boolean => answer.status === 401;
