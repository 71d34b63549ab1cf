import { createHash, randomUUID } from 'node:crypto';
import type { NodeSavedSession } from '@atproto/oauth-client-node';
import type {
  Clock,
  Outbound,
  OutboundResponse,
  OutboundOutcome,
  OutboundRequest,
} from '@switchboard/domain/ports';
import { importLibrary } from './atproto-client.js';

/**
 * Sends requests with a DPoP proof (RFC 9449). The library's own session does the same but refreshes tokens
 * by itself and reports failures as exceptions, which would lose the "outcome unknown" result.
 */
export function createDpopSend(
  deps: { readonly outbound: Outbound; readonly clock: Clock; readonly nonces: Map<string, string> },
  { dpopJwk, tokenSet }: NodeSavedSession,
): (request: OutboundRequest) => Promise<OutboundOutcome> {
  const ath = createHash('sha256').update(tokenSet.access_token).digest('base64url');

  async function send(request: OutboundRequest): Promise<OutboundOutcome> {
    const { origin, pathname } = new URL(request.url);
    const { JoseKey } = await importLibrary();
    const key = await JoseKey.fromJWK(dpopJwk);
    // An EC key also supports key agreement; only its signature algorithm applies here.
    const alg = key.algorithms.find((name) => /^(ES|PS|RS|EdDSA)/.test(name));
    if (alg === undefined || !key.bareJwk) throw new Error('the DPoP key cannot sign');
    const nonce = deps.nonces.get(origin);
    const proof = await key.createJwt(
      { alg, typ: 'dpop+jwt', jwk: key.bareJwk },
      {
        iat: Math.floor(deps.clock.now().getTime() / 1_000),
        jti: randomUUID(),
        htm: request.method,
        htu: origin + pathname,
        ath,
        ...(nonce !== undefined && { nonce }),
      },
    );
    const headers = { ...request.headers, authorization: `DPoP ${tokenSet.access_token}`, dpop: proof };
    const outcome = await deps.outbound.request({ ...request, headers });
    const nextNonce = outcome.kind === 'answered' ? outcome.headers['dpop-nonce'] : undefined;
    if (nextNonce !== undefined) storeNonce(deps.nonces, origin, nextNonce);
    return outcome;
  }

  return async (request) => {
    const outcome = await send(request);
    // The server only requests a nonce: the request had no effect.
    return outcome.kind === 'answered' && isNonceRequired(outcome) ? send(request) : outcome;
  };
}

const isNonceRequired = ({ status, headers }: OutboundResponse): boolean =>
  status === 401 &&
  headers['dpop-nonce'] !== undefined &&
  /^DPoP\b.*error="use_dpop_nonce"/i.test(headers['www-authenticate'] ?? '');

const ORIGINS_MAX = 1_000;

function storeNonce(nonces: Map<string, string>, origin: string, nonce: string): void {
  const [oldest] = nonces.keys();
  if (nonces.size >= ORIGINS_MAX && !nonces.has(origin) && oldest !== undefined) nonces.delete(oldest);
  nonces.set(origin, nonce);
}
