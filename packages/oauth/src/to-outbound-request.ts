import type { OutboundRequest, PlatformRequest } from '@switchboard/domain';

/** What only the session may say. */
const reservedHeaders = new Set(['authorization', 'dpop', 'cookie', 'content-type']);

/**
 * The request as it leaves. Null when it would go anywhere but below the account's server or to another origin that
 * the manifest names: a credential is sent to nobody else. Without one it may go wherever the platform said, but not in the
 * clear when the platform itself is not asked in the clear.
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

function encodeBody({ json, form, body }: PlatformRequest): { body?: OutboundRequest['body']; type?: string } {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (form) return { body: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' };
  if (!body) return {};
  return { type: body.type, body: 'bytes' in body ? body.bytes : body };
}
