import type { OutboundRequest, PlatformRequest } from '@switchboard/domain/ports';

/** Headers that only the session may set. */
const reservedHeaders = new Set(['authorization', 'dpop', 'cookie', 'content-type']);

/**
 * Builds the outbound request. Null when it would leave the account's server and the origins that the
 * manifest names: no other host receives a credential. A request without a credential may go to any address
 * that the platform returned, but not over plain HTTP unless the platform itself uses plain HTTP.
 */
export function toOutboundRequest(
  request: PlatformRequest,
  baseUrl: string,
  origins: readonly string[],
  signal: AbortSignal,
): OutboundRequest | null {
  const url = buildUrl(request, baseUrl);
  if (!url) return null;
  const baseOrigin = new URL(baseUrl);
  const isKnownOrigin = [baseOrigin.origin, ...origins].includes(url.origin);
  if (!isKnownOrigin && !(request.omitsCredential && isAtLeastAsSecure(url, baseOrigin))) return null;
  const { body, type } = encodeBody(request);
  return {
    method: request.method,
    url: url.href,
    headers: {
      accept: 'application/json',
      ...Object.fromEntries(
        Object.entries(request.headers ?? {})
          .map(([name, value]) => [name.toLowerCase(), value] as const)
          .filter(([name]) => !reservedHeaders.has(name)),
      ),
      ...(type !== undefined && { 'content-type': type }),
    },
    body,
    deadlineSeconds: request.deadlineSeconds,
    maxBytes: request.maxBytes,
    signal,
  };
}

const isAtLeastAsSecure = ({ protocol }: URL, home: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && home.protocol === 'http:');

function buildUrl({ path, query }: PlatformRequest, baseUrl: string): URL | null {
  const text = path.startsWith('/') ? baseUrl + path : path;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [value])
      url.searchParams.append(name, String(each));
  }
  return url;
}

function encodeBody({ json, form, body }: PlatformRequest): {
  body?: OutboundRequest['body'];
  type?: string;
} {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (form) return { body: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' };
  if (!body) return {};
  return { type: body.type, body: 'bytes' in body ? body.bytes : body };
}
