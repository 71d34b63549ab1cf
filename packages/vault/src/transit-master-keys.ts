import { timingSafeEqual } from 'node:crypto';
import { ok, refuse, type Result, type Secret } from '@switchboard/domain';
import type { Clock, Outbound } from '@switchboard/domain/ports';
import sodium from 'libsodium-wrappers';
import { DATA_KEY_BYTES } from './data-key.js';
import { refuseUnreadable } from './envelope.js';
import { refuseUnknownMasterKey } from './local-master-keys.js';
import type { MasterKeyIds, MasterKeyProvider } from './master-keys.js';

interface TransitOptions {
  /** The server URL: `https://vault.example.com:8200`. */
  readonly url: string;
  /** The mount path of the transit engine. */
  readonly mount: string;
  readonly key: string;
  readonly namespace: string | null;
  /** Read for each request: a sidecar agent may renew the token. */
  readonly token: () => Promise<Secret>;
  readonly outbound: Outbound;
  readonly clock: Pick<Clock, 'now'>;
}

const DEADLINE_SECONDS = 5;
const RESPONSE_BYTES_MAX = 64 * 1024;
const CHECK_BYTES = 32;
/** The open time of the circuit breaker after a failure; each further failure doubles it. */
const BREAKER_OPEN_MS = { first: 1000, longest: 30_000 } as const;

/** The prefix of key IDs in a key service; IDs of local keys contain no colon. */
export const TRANSIT_PREFIX = 'transit:';

/**
 * A key of the transit engine of OpenBao or HashiCorp Vault, which never leaves the service; its versions are
 * the master keys. The context is sent as associated data (the key needs an AEAD type, such as the default
 * `aes256-gcm96`), and the wrapped bytes contain their own check, which detects a wrong response of the
 * service.
 *
 * A circuit breaker protects a failing service: after the open time, one request probes it.
 */
export async function transitMasterKeys(options: TransitOptions): Promise<MasterKeyProvider> {
  await sodium.ready;
  const { key, clock } = options;
  const sendRequest = createBreakerClient(options);
  const idOf = (version: number) => `${TRANSIT_PREFIX}${key}:v${version}`;

  function versionOf(id: string): number | null {
    const digits = id.startsWith(idOf(0).slice(0, -1)) ? id.slice(idOf(0).length - 1) : '';
    return /^[1-9][0-9]{0,8}$/.test(digits) ? Number(digits) : null;
  }

  return {
    async list() {
      const answer = await sendRequest('GET', `keys/${encodeURIComponent(key)}`, null);
      if (!answer.ok) return answer;
      if (answer.value.kind === 'refused') return refuseUnavailable(answer.value.reason);
      const { latest_version: latestVersion, min_decryption_version: minimumVersion } = answer.value.data;
      if (typeof latestVersion !== 'number' || latestVersion < 1)
        return refuseUnavailable('The response lists no key versions.');
      const from = Math.max(1, typeof minimumVersion === 'number' ? minimumVersion : 1);
      const ids = Array.from({ length: latestVersion - from + 1 }, (_, back) => idOf(latestVersion - back));
      return ok(ids as unknown as MasterKeyIds);
    },

    async wrap(masterKeyId, dataKey, context) {
      const version = versionOf(masterKeyId);
      if (version === null) return refuseUnknownMasterKey(masterKeyId);
      const plain = Buffer.concat([dataKey, computeCheck(dataKey, context)]);
      const body = {
        plaintext: plain.toString('base64'),
        associated_data: Buffer.from(context).toString('base64'),
        key_version: version,
      };
      plain.fill(0);
      const answer = await sendRequest('POST', `encrypt/${encodeURIComponent(key)}`, body);
      if (!answer.ok) return answer;
      if (answer.value.kind === 'refused') return refuseUnavailable(answer.value.reason);
      const { ciphertext } = answer.value.data;
      // A different version would be stored under the wrong name.
      return typeof ciphertext === 'string' && ciphertext.startsWith(`vault:v${version}:`)
        ? ok(new Uint8Array(Buffer.from(ciphertext, 'latin1')))
        : refuseUnavailable('The ciphertext has an unexpected key version.');
    },

    async unwrap(masterKeyId, wrapped, context) {
      const version = versionOf(masterKeyId);
      if (version === null) return refuseUnknownMasterKey(masterKeyId);
      const ciphertext = Buffer.from(wrapped).toString('latin1');
      if (!ciphertext.startsWith(`vault:v${version}:`)) return refuseUnreadable();
      const associated = Buffer.from(context).toString('base64');
      const answer = await sendRequest('POST', `decrypt/${encodeURIComponent(key)}`, {
        ciphertext,
        associated_data: associated,
      });
      if (!answer.ok) return answer;
      if (answer.value.kind === 'refused')
        return answer.value.isAboutCiphertext ? refuseUnreadable() : refuseUnavailable(answer.value.reason);
      const { plaintext } = answer.value.data;
      const plain = Buffer.from(typeof plaintext === 'string' ? plaintext : '', 'base64');
      if (plain.length !== DATA_KEY_BYTES + CHECK_BYTES)
        return refuseUnavailable('The response failed verification.');
      const dataKey = plain.subarray(0, DATA_KEY_BYTES);
      return timingSafeEqual(computeCheck(dataKey, context), plain.subarray(DATA_KEY_BYTES))
        ? ok(new Uint8Array(dataKey))
        : refuseUnavailable('The response failed verification.');
    },
  };

  function createBreakerClient({ url, mount, namespace, token, outbound }: TransitOptions) {
    let failures = 0;
    let openUntilMs = 0;
    let probe: Promise<Result<TransitResponse, 'vault.unavailable'>> | null = null;

    return async function sendWithBreaker(
      method: 'GET' | 'POST',
      path: string,
      body: object | null,
    ): Promise<Result<TransitResponse, 'vault.unavailable'>> {
      // One probe runs after the open time; requests that arrive meanwhile share its outcome.
      if (probe) await probe;
      if (failures === 0) return recordResult(sendOnce(method, path, body));
      if (probe || clock.now().getTime() < openUntilMs)
        return refuseUnavailable('The circuit breaker is open.');
      probe = recordResult(sendOnce(method, path, body)).finally(() => (probe = null));
      return probe;
    };

    async function recordResult(asking: Promise<Result<TransitResponse, 'vault.unavailable'>>) {
      const answer = await asking;
      const nowMs = clock.now().getTime();
      if (answer.ok) failures = 0;
      // Concurrent requests count as one failure.
      else if (nowMs >= openUntilMs) {
        openUntilMs = nowMs + Math.min(BREAKER_OPEN_MS.first * 2 ** failures, BREAKER_OPEN_MS.longest);
        failures += 1;
      }
      return answer;
    }

    async function sendOnce(
      method: 'GET' | 'POST',
      path: string,
      body: object | null,
    ): Promise<Result<TransitResponse, 'vault.unavailable'>> {
      const secret = await token().catch(() => null);
      if (!secret) return refuseUnavailable('The key service token cannot be read.');
      const outcome = await outbound.request({
        method,
        url: `${url}/v1/${mount}/${path}`,
        headers: {
          'x-vault-token': secret.reveal(),
          'x-vault-request': 'true',
          ...(namespace !== null && { 'x-vault-namespace': namespace }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        deadlineSeconds: DEADLINE_SECONDS,
        maxBytes: RESPONSE_BYTES_MAX,
      });
      if (outcome.kind !== 'answered') return refuseUnavailable(`No response (${outcome.reason}).`);
      const { data, errors } = parseResponse(outcome.body);
      if (outcome.status === 200 && data) return ok({ kind: 'answered', data });
      if (outcome.status === 400) {
        const isCiphertextInvalid = errors.some((error) => INVALID_CIPHERTEXT.test(error));
        return ok({
          kind: 'refused',
          isAboutCiphertext: isCiphertextInvalid,
          reason: 'The request was rejected (400).',
        });
      }
      return refuseUnavailable(
        `The response status is ${outcome.status}${STATUS_MEANINGS[outcome.status] ?? ''}.`,
      );
    }
  }
}

type TransitResponse =
  | { readonly kind: 'answered'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly isAboutCiphertext: boolean; readonly reason: string };

/**
 * The engine's messages for a modified or foreign ciphertext; a disallowed key version is a different error.
 */
const INVALID_CIPHERTEXT = /message authentication failed|invalid ciphertext|unable to decrypt/i;

const STATUS_MEANINGS: Readonly<Record<number, string>> = {
  403: ': the token lacks permission or has expired',
  404: ': the key or mount does not exist',
  429: ': the node is a standby or rate limited',
  503: ': the service is sealed or under maintenance',
};

/** The service's own error text is not quoted: it may contain the request. */
const refuseUnavailable = (reason: string) =>
  refuse('vault.unavailable', `The key service is unavailable. ${reason}`);

const computeCheck = (dataKey: Uint8Array, context: Uint8Array): Uint8Array =>
  sodium.crypto_generichash(CHECK_BYTES, context, dataKey);

function parseResponse(body: Uint8Array): {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly string[];
} {
  try {
    const { data, errors } = JSON.parse(Buffer.from(body).toString('utf8')) as {
      data?: Record<string, unknown>;
      errors?: unknown;
    };
    return { data: data ?? null, errors: Array.isArray(errors) ? errors.map(String) : [] };
  } catch {
    return { data: null, errors: [] };
  }
}
