import type { DownloadOutcome, Downloads } from '@switchboard/domain/ports';
import { Agent, request } from 'undici';
import { guardedConnector } from './guarded-connector.js';
import { AddressRefusedError, systemResolver } from './guarded-lookup.js';
import { hostAllowList } from './host-allow-list.js';
import { parseTarget } from './parse-target.js';
import type { OutboundOptions } from './undici-outbound.js';

const REDIRECTS_MAX = 3;
const HEADERS_MS = 30_000;
/** The maximum time between two chunks of a body. */
const BODY_TIMEOUT_MS = 30_000;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Streams downloads on connections that are not shared with other requests. */
export function undiciDownloads(options: OutboundOptions): Downloads & { close(): Promise<void> } {
  const allowList = hostAllowList(options.allowPrivateHosts);
  const agent = new Agent({
    connect: guardedConnector(allowList, options.resolve ?? systemResolver),
    allowH2: false,
    pipelining: 0,
    headersTimeout: HEADERS_MS,
    bodyTimeout: BODY_TIMEOUT_MS,
  });

  async function fetchHop(
    url: string,
    accept: string,
    signal: AbortSignal,
  ): Promise<DownloadOutcome | { readonly to: string }> {
    const target = parseTarget(url, allowList);
    if (target.kind !== 'fit') return { kind: 'failed', reason: target.kind };
    const answer = await request(target.url.href, {
      dispatcher: agent,
      signal,
      // Without compression: a decompressed file could exceed the requested size.
      headers: { 'user-agent': options.userAgent, 'accept-encoding': 'identity', accept },
    });
    const { statusCode: status, headers, body } = answer;
    const coding = headers['content-encoding'] ?? 'identity';
    if (status >= 200 && status < 300 && coding === 'identity') {
      const type = headers['content-type'];
      return {
        kind: 'opened',
        url: target.url.href,
        type: typeof type === 'string' ? type : '',
        length: readLength(headers['content-length']),
        bytes: body,
      };
    }
    // The body is not read: the connection is closed, and its data is discarded.
    body.on('error', () => undefined).destroy();
    if (redirectStatuses.has(status) && typeof headers.location === 'string') {
      return URL.canParse(headers.location, target.url.href)
        ? { to: new URL(headers.location, target.url.href).href }
        : { kind: 'failed', reason: 'invalid_url' };
    }
    return { kind: 'refused', status: status < 300 ? 415 : status };
  }

  return {
    async open({ url, deadlineSeconds, signal, accept = 'image/*, video/*, application/pdf' }) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(deadlineSeconds * 1000)]);
      try {
        for (let next = url, hops = 0; hops <= REDIRECTS_MAX; hops++) {
          const outcome = await fetchHop(next, accept, until);
          if ('kind' in outcome) return outcome;
          next = outcome.to;
        }
        return { kind: 'failed', reason: 'too_many_redirects' };
      } catch (error) {
        if (error instanceof AddressRefusedError) return { kind: 'failed', reason: 'address_refused' };
        return { kind: 'failed', reason: signal.aborted ? 'aborted' : 'unreachable' };
      }
    },
    close: () => agent.destroy(),
  };
}

const readLength = (header: string | string[] | undefined): number | null =>
  typeof header === 'string' && /^[0-9]{1,15}$/.test(header) ? Number(header) : null;
