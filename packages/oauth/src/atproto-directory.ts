import { resolveTxt as systemResolveTxt } from 'node:dns/promises';
import type { Outbound, OutboundOutcome } from '@switchboard/domain/ports';
import { isJsonContentType } from './is-json-content-type.js';

export interface DirectoryOptions {
  readonly outbound: Outbound;
  /**
   * The server that resolves handles (`com.atproto.identity.resolveHandle`); null: the handle's own domain is
   * queried.
   */
  readonly handleResolverUrl: string | null;
  readonly plcDirectoryUrl: string | null;
  readonly resolveTxt?: ((host: string) => Promise<readonly (readonly string[])[]>) | undefined;
}

export type DirectoryLookup<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'address_refused' }
  | { readonly kind: 'unavailable' };

const PUBLIC_PLC = 'https://plc.directory';
const unreachableReasons: readonly string[] = ['dns', 'connect', 'tls', 'invalid_url'];
const LIMITS = { deadlineSeconds: 10, maxBytes: 64 * 1024 } as const;
const handlePattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const didPattern = /^did:(?:plc:[a-z2-7]{24}|web:[a-zA-Z0-9.-]+(?:%3A\d{1,5})?)$/;

export const isHandle = (text: string): boolean => text.length <= 253 && handlePattern.test(text);
export const isDid = (text: string): boolean => didPattern.test(text);

export function atprotoDirectory(options: DirectoryOptions) {
  const { outbound, resolveTxt = systemResolveTxt } = options;
  const get = (url: string) =>
    outbound.request({ method: 'GET', url, headers: { accept: '*/*' }, ...LIMITS });

  async function resolveDidByDns(handle: string): Promise<string | null> {
    const records = await resolveTxt(`_atproto.${handle}`).catch(() => []);
    const dids = records.map((chunks) => chunks.join('')).filter((text) => text.startsWith('did='));
    // Contradicting records are ignored, as the specification requires.
    return dids.length === 1 ? (dids[0]?.slice('did='.length) ?? null) : null;
  }

  return {
    async resolveDid(handle: string): Promise<DirectoryLookup<string>> {
      if (options.handleResolverUrl !== null) {
        const url = new URL('/xrpc/com.atproto.identity.resolveHandle', options.handleResolverUrl);
        url.searchParams.set('handle', handle);
        return readLookupResponse(await get(url.href), (body) =>
          parseDid((body as { did?: unknown } | null)?.did),
        );
      }
      const dnsDid = parseDid(await resolveDidByDns(handle));
      if (dnsDid !== null) return { kind: 'found', value: dnsDid };
      const outcome = await get(`https://${handle}/.well-known/atproto-did`);
      // A domain without a server means that the handle does not exist.
      if (outcome.kind === 'not_sent' && unreachableReasons.includes(outcome.reason))
        return { kind: 'unknown' };
      return readLookupResponse(outcome, (_body, text) => parseDid(text.trim()));
    },

    async resolveServer(did: string): Promise<DirectoryLookup<string>> {
      if (!isDid(did)) return { kind: 'unknown' };
      const url = did.startsWith('did:web:')
        ? `https://${decodeURIComponent(did.slice('did:web:'.length))}/.well-known/did.json`
        : new URL(`/${encodeURIComponent(did)}`, options.plcDirectoryUrl ?? PUBLIC_PLC).href;
      return readLookupResponse(await get(url), (body) => findPdsOrigin(body, did));
    },
  };
}

/** Resolves a handle to a DID and a DID to its server (https://atproto.com/specs/handle, /did). */
export type AtprotoDirectory = ReturnType<typeof atprotoDirectory>;

const parseDid = (value: unknown): string | null =>
  typeof value === 'string' && isDid(value) ? value : null;

function readLookupResponse<Value>(
  outcome: OutboundOutcome,
  pick: (body: unknown, text: string) => Value | null,
): DirectoryLookup<Value> {
  if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') return { kind: 'address_refused' };
  if (outcome.kind !== 'answered' || outcome.status >= 500 || outcome.status === 429)
    return { kind: 'unavailable' };
  if (outcome.status !== 200) return { kind: 'unknown' };
  const text = Buffer.from(outcome.body).toString();
  const value = pick(isJsonContentType(outcome.headers['content-type']) ? parseJson(text) : null, text);
  return value === null ? { kind: 'unknown' } : { kind: 'found', value };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function findPdsOrigin(document: unknown, did: string): string | null {
  const { id, service } = (document ?? {}) as { id?: unknown; service?: unknown };
  if (id !== did || !Array.isArray(service)) return null;
  const pds = (service as readonly Record<string, unknown>[]).find(
    (entry) =>
      (entry['id'] === '#atproto_pds' || entry['id'] === `${did}#atproto_pds`) &&
      entry['type'] === 'AtprotoPersonalDataServer',
  );
  const endpoint = pds?.['serviceEndpoint'];
  return typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint).origin : null;
}
