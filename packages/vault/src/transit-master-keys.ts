import { timingSafeEqual } from 'node:crypto';
import { ok, refuse, type Clock, type Outbound, type Result, type Secret } from '@switchboard/domain';
import sodium from 'libsodium-wrappers';
import { DATA_KEY_BYTES } from './data-key.js';
import { refuseUnreadable } from './envelope.js';
import { refuseUnknownMasterKey } from './local-master-keys.js';
import type { MasterKeyIds, MasterKeyProvider } from './master-keys.js';

export interface TransitOptions {
  /** Of the server: `https://vault.example.com:8200`. */
  readonly url: string;
  /** Where the transit engine is mounted. */
  readonly mount: string;
  readonly key: string;
  readonly namespace: string | null;
  /** Asked for each request: an agent beside us may renew it. */
  readonly token: () => Promise<Secret>;
  readonly outbound: Outbound;
  readonly clock: Pick<Clock, 'now'>;
}

const DEADLINE_SECONDS = 5;
const RESPONSE_BYTES_MAX = 64 * 1024;
const CHECK_BYTES = 32;
/** After a failure nobody asks for so long; each further one doubles it. */
const BREAKER_OPEN_MS = { first: 1000, longest: 30_000 } as const;

/** Begins every id of a key that lives in a key service; no local key's id has a colon. */
export const TRANSIT_PREFIX = 'transit:';

/**
 * A key of the transit engine of OpenBao or HashiCorp Vault, which never leaves it; its versions are our master keys. The
 * context goes along as associated data (a key of an AEAD type, as `aes256-gcm96` is by default), and what is wrapped
 * holds a check of its own, so that a service which answers with something else is found out here.
 *
 * A service that fails rests: nobody asks it again before the pause is over, and then one does.
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
      if (answer.value.kind === 'refused') return refuseUnavailable(answer.value.why);
      const { latest_version: latestVersion, min_decryption_version: minimumVersion } = answer.value.data;
      if (typeof latestVersion !== 'number' || latestVersion < 1)
        return refuseUnavailable('It does not say which versions the key has.');
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
      if (answer.value.kind === 'refused') return refuseUnavailable(answer.value.why);
      const { ciphertext } = answer.value.data;
      // Another version would be found under the wrong name.
      return typeof ciphertext === 'string' && ciphertext.startsWith(`vault:v${version}:`)
        ? ok(new Uint8Array(Buffer.from(ciphertext, 'latin1')))
        : refuseUnavailable('What it wrapped is not of the version that was asked for.');
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
        return answer.value.isAboutCiphertext ? refuseUnreadable() : refuseUnavailable(answer.value.why);
      const { plaintext } = answer.value.data;
      const plain = Buffer.from(typeof plaintext === 'string' ? plaintext : '', 'base64');
      if (plain.length !== DATA_KEY_BYTES + CHECK_BYTES)
        return refuseUnavailable('It answered with something else.');
      const dataKey = plain.subarray(0, DATA_KEY_BYTES);
      return timingSafeEqual(computeCheck(dataKey, context), plain.subarray(DATA_KEY_BYTES))
        ? ok(new Uint8Array(dataKey))
        : refuseUnavailable('It answered with something else.');
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
      // One goes ahead after a pause; what it finds is true for those who came meanwhile.
      if (probe) await probe;
      if (failures === 0) return recordResult(sendOnce(method, path, body));
      if (probe || clock.now().getTime() < openUntilMs)
        return refuseUnavailable('It is left alone for a moment.');
      probe = recordResult(sendOnce(method, path, body)).finally(() => (probe = null));
      return probe;
    };

    async function recordResult(asking: Promise<Result<TransitResponse, 'vault.unavailable'>>) {
      const answer = await asking;
      const nowMs = clock.now().getTime();
      if (answer.ok) failures = 0;
      // Those who asked together failed once.
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
      if (!secret) return refuseUnavailable('Our token for it cannot be read.');
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
      if (outcome.kind !== 'answered') return refuseUnavailable(`It does not answer (${outcome.reason}).`);
      const { data, errors } = parseResponse(outcome.body);
      if (outcome.status === 200 && data) return ok({ kind: 'answered', data });
      if (outcome.status === 400) {
        const isCiphertextInvalid = errors.some((error) => INVALID_CIPHERTEXT.test(error));
        return ok({
          kind: 'refused',
          isAboutCiphertext: isCiphertextInvalid,
          why: 'It refused the request (400).',
        });
      }
      return refuseUnavailable(`It answered ${outcome.status}${STATUS_MEANINGS[outcome.status] ?? ''}.`);
    }
  }
}

type TransitResponse =
  | { readonly kind: 'answered'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly isAboutCiphertext: boolean; readonly why: string };

/** As the engine says that a ciphertext was changed or belongs elsewhere; a version that it may not use any more is another matter. */
const INVALID_CIPHERTEXT = /message authentication failed|invalid ciphertext|unable to decrypt/i;

const STATUS_MEANINGS: Readonly<Record<number, string>> = {
  403: ': the token may not do this, or has ended',
  404: ': there is no such key or mount',
  429: ': it is a standby, or over its limits',
  503: ': it is sealed or under maintenance',
};

/** Its own words are not repeated: they may quote what was sent. */
const refuseUnavailable = (why: string) =>
  refuse('vault.unavailable', `The key service is of no help. ${why}`);

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
