import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { FaultSpec } from '@switchboard/fault-injection';
import { fieldsOf, textOf, type WireRequest, type WireResponse } from './wire/exchange.js';
import { startServer } from './wire/start-server.js';

export type TransitFault = 'sealed' | 'hang' | 'reset' | 'garbage' | 'wrong plaintext' | 'forbidden';
type FaultOf = (request: string) => TransitFault | null;

const KEY = 'switchboard';
/** Those that the host of all test doubles has; the others are responses of the engine itself. */
const HOST_FAULTS: Readonly<Partial<Record<TransitFault, FaultSpec['kind']>>> = {
  hang: 'hang',
  reset: 'reset-before-effect',
  garbage: 'garbage',
};

const refusal = (status: number, ...errors: string[]): WireResponse => ({ status, json: { errors } });
const okResponse = (data: object): WireResponse => ({
  status: 200,
  json: { request_id: randomBytes(8).toString('hex'), data },
});

/** The versions of one key of type aes256-gcm96. */
function transitKey() {
  const versions = [randomBytes(32)];
  let minDecryption = 1;

  function encrypt(body: Readonly<Record<string, unknown>>, associated: Buffer): WireResponse {
    const version = Number(body['key_version'] ?? 0) || versions.length;
    const secret = versions[version - 1];
    if (!secret)
      return refusal(400, 'requested version for encryption is higher than the latest key version');
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(associated);
    const plain = Buffer.from(String(body['plaintext']), 'base64');
    const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return okResponse({ ciphertext: `vault:v${version}:${sealed.toString('base64')}`, key_version: version });
  }

  function decrypt(body: Readonly<Record<string, unknown>>, associated: Buffer): WireResponse {
    const [, digits = '', encoded = ''] = /^vault:v(\d+):(.*)$/.exec(String(body['ciphertext'])) ?? [];
    const [version, sealed] = [Number(digits), Buffer.from(encoded, 'base64')];
    const secret = versions[version - 1];
    if (!secret || sealed.length < 28) return refusal(400, 'invalid ciphertext: no prefix');
    if (version < minDecryption)
      return refusal(400, 'ciphertext or signature version is disallowed by policy (too old)');
    try {
      const opening = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, 12))
        .setAAD(associated)
        .setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([opening.update(sealed.subarray(12, -16)), opening.final()]);
      return okResponse({ plaintext: plain.toString('base64') });
    } catch {
      return refusal(400, 'cipher: message authentication failed');
    }
  }

  return {
    encrypt,
    decrypt,
    describe: () =>
      okResponse({
        name: KEY,
        type: 'aes256-gcm96',
        latest_version: versions.length,
        min_decryption_version: minDecryption,
        keys: Object.fromEntries(versions.map((_, at) => [String(at + 1), 1_700_000_000 + at])),
      }),
    /** Adds a new, newest version of the key. */
    rotate: () => versions.push(randomBytes(32)),
    /** Older versions can no longer decrypt. */
    setMinDecryptionVersion: (version: number) => void (minDecryption = version),
  };
}

/**
 * The transit engine of OpenBao and HashiCorp Vault according to the documentation of `/transit/keys`,
 * `/encrypt`, `/decrypt` and `/rotate`, with one key. Only requests with this namespace are accepted.
 */
export async function startTransit({ namespace }: { readonly namespace?: string } = {}) {
  const token = `s.${randomBytes(12).toString('hex')}`;
  const { encrypt, decrypt, describe, rotate, setMinDecryptionVersion } = transitKey();
  const requests: string[] = [];
  let faultOf: FaultOf | null = null;

  function serve({ method, path, body }: WireRequest): WireResponse {
    const [, action, name] = /^\/v1\/transit\/(keys|encrypt|decrypt)\/([^/]+)$/.exec(path) ?? [];
    if (action === undefined) return refusal(404);
    if (name !== KEY) return action === 'keys' ? refusal(404) : refusal(400, 'encryption key not found');
    if (action === 'keys' && method === 'GET') return describe();
    const fields = fieldsOf(body);
    const associated = Buffer.from(textOf(fields['associated_data']), 'base64');
    return action === 'encrypt' ? encrypt(fields, associated) : decrypt(fields, associated);
  }

  const faults = new WeakMap<WireRequest, TransitFault>();
  const server = await startServer(
    (request) => {
      const fault = faults.get(request);
      const { 'x-vault-token': provided, 'x-vault-namespace': stated } = request.headers;
      if (fault === 'sealed') return refusal(503, 'Vault is sealed');
      if (fault === 'forbidden' || provided !== token || stated !== namespace)
        return refusal(403, 'permission denied');
      return fault === 'wrong plaintext' && request.path.includes('/decrypt/')
        ? okResponse({ plaintext: randomBytes(64).toString('base64') })
        : serve(request);
    },
    (request) => {
      const line = `${request.method} ${request.url}`;
      requests.push(line);
      const fault = faultOf?.(line) ?? null;
      if (fault) faults.set(request, fault);
      const kind = fault && HOST_FAULTS[fault];
      return kind ? { kind } : undefined;
    },
  );
  return {
    ...server,
    token,
    /** Every received request, as `POST /v1/…`. */
    requests,
    rotate,
    setMinDecryptionVersion,
    /** The fault from now on; null: none. Evaluated for each request. */
    faultWith: (fault: FaultOf | null) => void (faultOf = fault),
  };
}
