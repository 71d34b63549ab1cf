import { randomBytes } from 'node:crypto';
import {
  createServer,
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { freePort } from '@switchboard/persistence/testing';

/** One request of ours and the platform's complete response. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A proxy between Switchboard and a platform that records both directions. */
export interface RecordingProxy {
  readonly url: string;
  /** The platform's actual URL. */
  readonly setTarget: (url: string) => void;
  readonly requests: readonly RecordedRequest[];
  /** Every secret observed so far, by its kind: "access token of social 2". */
  readonly secrets: ReadonlyMap<string, string>;
  /**
   * The next request with this text in its path or body receives this status from a platform that echoes the
   * request. Returns a function that tells whether one did.
   */
  readonly echoNextRequest: (rule: EchoRule) => () => boolean;
  /** The number of echoed responses. */
  readonly countEchoes: () => number;
  readonly close: () => Promise<void>;
}

interface EchoRule {
  readonly about: RegExp;
  readonly status: number;
}

export interface RecordingProxyOptions {
  readonly name: string;
  /** The client secret that Switchboard has, and the one that the platform has instead. */
  readonly client: { readonly id: string; readonly given: string; readonly real: string };
}

const FIELDS: Readonly<Record<string, string>> = {
  code: 'authorization code',
  code_verifier: 'verifier',
  access_token: 'access token',
  refresh_token: 'refresh token',
  id_token: 'id token',
};

export async function startRecordingProxy({ name, client }: RecordingProxyOptions): Promise<RecordingProxy> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const requests: RecordedRequest[] = [];
  const secrets = new Map<string, string>();
  let echoRules: readonly EchoRule[] = [];
  let echoCount = 0;
  let origin = '';

  const recordSecret = (what: string, value: unknown): void => {
    if (typeof value !== 'string' || [...secrets.values()].includes(value)) return;
    const nth = [...secrets.keys()].filter((known) => known.startsWith(what)).length + 1;
    secrets.set(`${what} of ${name} ${nth}`, value);
  };
  const recordSecrets = (fields: Iterable<[string, unknown]>): void => {
    for (const [field, value] of fields)
      if (Object.hasOwn(FIELDS, field)) recordSecret(FIELDS[field] ?? '', value);
  };
  const replaceClientSecret = (text: string) =>
    text.replaceAll(encodeURIComponent(client.given), client.real);

  const server = createServer((request, response) => {
    void (async () => {
      const body = await readAll(request);
      const path = request.url ?? '/';
      requests.push({
        method: request.method ?? '',
        path,
        headers: request.headers,
        body: body.toString('latin1'),
      });
      const isForm = request.headers['content-type']?.includes('urlencoded') === true;
      if (isForm) recordSecrets(new URLSearchParams(body.toString()));
      const echoRule = echoRules.find(({ about }) => about.test(`${path}\n${body.toString()}`));
      if (echoRule) {
        echoRules = echoRules.filter((one) => one !== echoRule);
        echoCount += 1;
        return echoRequest(response, echoRule.status, request, body.toString());
      }
      const headers = { ...request.headers, host: new URL(origin).host };
      if (headers.authorization?.startsWith('Basic ')) {
        const pair = Buffer.from(headers.authorization.slice(6), 'base64').toString();
        headers.authorization = `Basic ${Buffer.from(replaceClientSecret(pair)).toString('base64')}`;
      }
      const sent = isForm ? Buffer.from(replaceClientSecret(body.toString())) : body;
      if (headers['content-length'] !== undefined) headers['content-length'] = String(sent.length);
      const outgoing = sendRequest(new URL(path, origin), { method: request.method, headers }, (answer) => {
        void readAll(answer).then(
          (bytes) => {
            const responseHeaders = { ...answer.headers };
            let out = bytes;
            if (path.includes('/oauth/token') && answer.statusCode === 200) {
              const grant = JSON.parse(bytes.toString()) as Record<string, unknown>;
              // Platforms may send this unrequested.
              const full = {
                ...grant,
                id_token: `eyJhbGciOiJub25lIn0.${randomBytes(24).toString('base64url')}.`,
              };
              recordSecrets(Object.entries(full));
              const cookie = randomBytes(24).toString('base64url');
              recordSecret('cookie', cookie);
              out = Buffer.from(JSON.stringify(full));
              responseHeaders['set-cookie'] = [`platform_session=${cookie}; Path=/`];
            }
            // `iss` identifies the platform by the URL that is used here.
            if (responseHeaders.location !== undefined)
              responseHeaders.location = responseHeaders.location.replaceAll(
                encodeURIComponent(origin),
                encodeURIComponent(url),
              );
            if (responseHeaders['content-length'] !== undefined)
              responseHeaders['content-length'] = String(out.length);
            response.writeHead(answer.statusCode ?? 502, responseHeaders).end(out);
          },
          () => response.destroy(),
        );
      });
      outgoing.on('error', () => response.destroy());
      outgoing.end(sent);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    url,
    setTarget: (to) => void (origin = to),
    requests,
    secrets,
    echoNextRequest(rule) {
      echoRules = [...echoRules, rule];
      return () => !echoRules.includes(rule);
    },
    countEchoes: () => echoCount,
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Some platforms echo the request in the error, both in the message and in a machine-readable field; the
 * secret comes first.
 */
function echoRequest(
  response: ServerResponse,
  status: number,
  { headers, url = '' }: IncomingMessage,
  body: string,
): void {
  const { authorization = '' } = headers;
  const echoedText = `${authorization.replace(/^\S+ /, '')} was received. ${body.slice(0, 400)} ${authorization} ${url}`;
  const error = url.includes('/oauth/')
    ? { error: 'invalid_request', error_description: echoedText }
    : { error: { code: 'echoed', message: echoedText } };
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-echoed': authorization })
    .end(JSON.stringify(error));
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
