import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type TransitFault = 'sealed' | 'hang' | 'reset' | 'garbage' | 'wrong plaintext' | 'forbidden';

/**
 * The transit engine of OpenBao and HashiCorp Vault according to the documentation of `/transit/keys`,
 * `/encrypt`, `/decrypt` and `/rotate`, with one key of type aes256-gcm96.
 */
export interface RunningTransit {
  readonly url: string;
  readonly token: string;
  /** Every received request, as `POST /v1/…`. */
  readonly requests: readonly string[];
  /** Adds a new, newest version of the key. */
  rotate(): number;
  /** Older versions can no longer decrypt. */
  setMinDecryptionVersion(version: number): void;
  /** The fault from now on; null: none. Evaluated for each request. */
  faultWith(fault: ((request: string) => TransitFault | null) | null): void;
  close(): Promise<void>;
}

export interface TransitOptions {
  readonly key?: string;
  readonly mount?: string;
  /** Only requests with this token are accepted. */
  readonly namespace?: string;
  readonly port?: number;
}

interface TransitResponse {
  readonly status: number;
  readonly json: object;
}

const refusal = (status: number, ...errors: string[]): TransitResponse => ({ status, json: { errors } });
const okResponse = (data: object): TransitResponse => ({
  status: 200,
  json: {
    request_id: randomBytes(8).toString('hex'),
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data,
  },
});

export async function startTransit(options: TransitOptions = {}): Promise<RunningTransit> {
  const { key = 'switchboard', mount = 'transit', namespace } = options;
  const token = `s.${randomBytes(12).toString('hex')}`;
  const versions = [randomBytes(32)];
  const requests: string[] = [];
  let minDecryption = 1;
  let faultOf: ((request: string) => TransitFault | null) | null = null;

  function serve(method: string, path: string, body: Readonly<Record<string, unknown>>): TransitResponse {
    const [, action = '', name = ''] =
      new RegExp(`^/v1/${mount}/(keys|encrypt|decrypt)/([^/]+)$`).exec(path) ?? [];
    if (action === '') return refusal(404);
    if (name !== key) return action === 'keys' ? refusal(404) : refusal(400, 'encryption key not found');
    if (action === 'keys' && method === 'GET') {
      return okResponse({
        name,
        type: 'aes256-gcm96',
        derived: false,
        exportable: false,
        deletion_allowed: false,
        latest_version: versions.length,
        min_decryption_version: minDecryption,
        min_encryption_version: 0,
        keys: Object.fromEntries(versions.map((_, at) => [String(at + 1), 1_700_000_000 + at])),
      });
    }
    const stated = body['associated_data'];
    const associated = Buffer.from(typeof stated === 'string' ? stated : '', 'base64');
    if (action === 'encrypt') return encrypt(body, associated);
    return decrypt(body, associated);
  }

  function encrypt(body: Readonly<Record<string, unknown>>, associated: Buffer): TransitResponse {
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

  function decrypt(body: Readonly<Record<string, unknown>>, associated: Buffer): TransitResponse {
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

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fault = faultOf?.(line) ?? null;
    if (fault === 'hang') return;
    if (fault === 'reset') return void request.socket.destroy();
    if (fault === 'garbage') return void response.end('<html>');
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
    const allowed =
      request.headers['x-vault-token'] === token && request.headers['x-vault-namespace'] === namespace;
    let responded = allowed
      ? serve(request.method ?? '', request.url ?? '', body)
      : refusal(403, 'permission denied');
    if (fault === 'sealed') responded = refusal(503, 'Vault is sealed');
    if (fault === 'forbidden') responded = refusal(403, 'permission denied');
    if (fault === 'wrong plaintext' && line.includes('/decrypt/'))
      responded = okResponse({ plaintext: randomBytes(64).toString('base64') });
    response.writeHead(responded.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(responded.json));
  }

  const server = createServer(
    (request, response) => void handle(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    requests,
    rotate: () => versions.push(randomBytes(32)),
    setMinDecryptionVersion: (version) => void (minDecryption = version),
    faultWith: (fault) => void (faultOf = fault),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
