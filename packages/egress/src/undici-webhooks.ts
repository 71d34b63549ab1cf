import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Secret } from '@switchboard/domain';
import type { WebhookClient, WebhookMessage, WebhookResponse } from '@switchboard/domain/ports';
import { Agent } from 'undici';
import { checkAddress } from './check-address.js';
import { connectionPools } from './connection-pools.js';
import { guardedConnector } from './guarded-connector.js';
import { systemResolver } from './guarded-lookup.js';
import { hostAllowList } from './host-allow-list.js';
import { parseTarget } from './parse-target.js';
import { performExchange } from './perform-exchange.js';
import type { OutboundOptions } from './undici-outbound.js';

/** From the name lookup to the last byte that is read. */
const DEADLINE_MS = 15_000;
/** The part of a response that is read; the rest is not received. */
const HEAD_BYTES = 1024;

/**
 * The client for endpoints of callers. Unlike the client for platforms it has no circuit breakers: endpoints of
 * different workspaces share servers, and none may delay another.
 */
export function undiciWebhooks(
  options: OutboundOptions & { readonly deadlineMs?: number | undefined },
): WebhookClient & { close(): Promise<void> } {
  const allowList = hostAllowList(options.allowPrivateHosts);
  const resolve = options.resolve ?? systemResolver;
  const pools = connectionPools(
    () =>
      new Agent({
        connect: guardedConnector(allowList, resolve),
        allowH2: false,
        pipelining: 1,
        keepAliveTimeout: 4_000,
        keepAliveMaxTimeout: 30_000,
        bodyTimeout: 0,
      }),
  );
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;

  async function exchange(message: WebhookMessage) {
    const target = parseTarget(message.url, allowList);
    if (target.kind !== 'fit') return { kind: 'not_sent', reason: target.kind } as const;
    return performExchange(pools.get(message.pool), {
      method: 'POST',
      url: target.url,
      keyInPath: undefined,
      keyInQuery: undefined,
      headers: {
        'user-agent': options.userAgent,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...signatureHeaders(message),
        ...(message.traceparent !== null && { traceparent: message.traceparent }),
      },
      body: message.body,
      deadlineMs,
      headersMs: deadlineMs,
      maxBytes: HEAD_BYTES,
      readsHeadOnly: true,
      closesConnection: false,
      signal: message.signal,
      maySend: undefined,
    });
  }

  return {
    checkUrl: (url) => checkAddress(url, allowList, resolve),
    async send(message) {
      const startedMs = performance.now();
      const outcome = await exchange(message);
      const latencyMs = Math.round(performance.now() - startedMs);
      if (outcome.kind !== 'answered') return { kind: 'failed', error: errorOf(outcome), latencyMs };
      return {
        kind: 'answered',
        status: outcome.status,
        latencyMs,
        head: escapeHead(outcome.body),
        retryAfter: outcome.headers['retry-after'],
      };
    },
    close: () => pools.destroy(),
  };
}

const keys = new WeakMap<Secret, KeyObject>();

/** A quarter of the time that `createHmac` takes with the bytes of a key; one secret signs many messages. */
function keyOf(secret: Secret): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const key = createSecretKey(secret.reveal().replace(/^whsec_/, ''), 'base64');
  keys.set(secret, key);
  return key;
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function signatureHeaders({ id, timestamp, body, secrets }: WebhookMessage): Record<string, string> {
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const sign = (secret: Secret) =>
    `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    ...(secrets.length > 0 && { 'webhook-signature': secrets.map(sign).join(' ') }),
  };
}

type FailedOutcome = Exclude<Awaited<ReturnType<typeof performExchange>>, { kind: 'answered' }>;
type FailedResponse = Extract<WebhookResponse, { kind: 'failed' }>;

function errorOf({ kind, reason }: FailedOutcome): FailedResponse['error'] {
  switch (reason) {
    case 'aborted':
    case 'dns':
    case 'tls':
    case 'timeout':
    case 'reset':
      return reason;
    case 'invalid_url':
    case 'address_refused':
      return 'address_refused';
    case 'truncated':
      return 'reset';
    default:
      return kind === 'not_sent' ? 'connect' : 'invalid_response';
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that neither HTML nor a terminal interprets; what is not UTF-8 becomes U+FFFD. */
const escapeHead = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes.subarray(0, HEAD_BYTES))
    .replace(/[&<>"']/g, (character) => entities[character] ?? '')
    .replace(
      /[^\P{C}\t\n\r]|[\u2028\u2029]/gu,
      (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    );
