import { randomBytes } from 'node:crypto';
import {
  createServer,
  request as ask,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { freePort } from './free-port.js';

/** One request of ours and what the platform answered, whole. */
export interface Overheard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Stands between Switchboard and a platform, and hears everything that the two tell each other. */
export interface Wiretap {
  readonly url: string;
  /** Where the platform really is. */
  readonly target: (url: string) => void;
  readonly requests: readonly Overheard[];
  /** Every secret that went by, by what it is: "access token of social 2". */
  readonly secrets: ReadonlyMap<string, string>;
  /** The next request about this (in its path or body) is answered with this status, by a platform that repeats what it was told. */
  readonly tattle: (order: Tale) => void;
  /** How often it did. */
  readonly repeated: () => number;
  readonly close: () => Promise<void>;
}

interface Tale {
  readonly about: RegExp;
  readonly status: number;
}

export interface WiretapOptions {
  readonly name: string;
  /** What Switchboard is given for a secret of its client, and what the platform knows instead. */
  readonly client: { readonly id: string; readonly given: string; readonly real: string };
}

const FIELDS: Readonly<Record<string, string>> = {
  code: 'authorization code',
  code_verifier: 'verifier',
  access_token: 'access token',
  refresh_token: 'refresh token',
  id_token: 'id token',
};

export async function startWiretap({ name, client }: WiretapOptions): Promise<Wiretap> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const requests: Overheard[] = [];
  const secrets = new Map<string, string>();
  let tales: readonly Tale[] = [];
  let repeated = 0;
  let origin = '';

  const keep = (what: string, value: unknown): void => {
    if (typeof value !== 'string' || [...secrets.values()].includes(value)) return;
    const nth = [...secrets.keys()].filter((known) => known.startsWith(what)).length + 1;
    secrets.set(`${what} of ${name} ${nth}`, value);
  };
  const harvest = (fields: Iterable<[string, unknown]>): void => {
    for (const [field, value] of fields) if (Object.hasOwn(FIELDS, field)) keep(FIELDS[field] ?? '', value);
  };
  const swap = (text: string) => text.replaceAll(encodeURIComponent(client.given), client.real);

  const server = createServer((request, response) => {
    void (async () => {
      const body = await bytesOf(request);
      const path = request.url ?? '/';
      requests.push({
        method: request.method ?? '',
        path,
        headers: request.headers,
        body: body.toString('latin1'),
      });
      const isForm = request.headers['content-type']?.includes('urlencoded') === true;
      if (isForm) harvest(new URLSearchParams(body.toString()));
      const tale = tales.find(({ about }) => about.test(`${path}\n${body.toString()}`));
      if (tale) {
        tales = tales.filter((one) => one !== tale);
        repeated += 1;
        return repeat(response, tale.status, request, body.toString());
      }
      const headers = { ...request.headers, host: new URL(origin).host };
      if (headers.authorization?.startsWith('Basic ')) {
        const pair = Buffer.from(headers.authorization.slice(6), 'base64').toString();
        headers.authorization = `Basic ${Buffer.from(swap(pair)).toString('base64')}`;
      }
      const sent = isForm ? Buffer.from(swap(body.toString())) : body;
      if (headers['content-length'] !== undefined) headers['content-length'] = String(sent.length);
      const onward = ask(new URL(path, origin), { method: request.method, headers }, (answer) => {
        void bytesOf(answer).then(
          (bytes) => {
            const given = { ...answer.headers };
            let out = bytes;
            if (path.includes('/oauth/token') && answer.statusCode === 200) {
              const grant = JSON.parse(bytes.toString()) as Record<string, unknown>;
              // What a platform may send along, whether anybody asked for it or not.
              const full = {
                ...grant,
                id_token: `eyJhbGciOiJub25lIn0.${randomBytes(24).toString('base64url')}.`,
              };
              harvest(Object.entries(full));
              const cookie = randomBytes(24).toString('base64url');
              keep('cookie', cookie);
              out = Buffer.from(JSON.stringify(full));
              given['set-cookie'] = [`platform_session=${cookie}; Path=/`];
            }
            // `iss` names the platform by the address under which it is known here.
            if (given.location !== undefined)
              given.location = given.location.replaceAll(encodeURIComponent(origin), encodeURIComponent(url));
            if (given['content-length'] !== undefined) given['content-length'] = String(out.length);
            response.writeHead(answer.statusCode ?? 502, given).end(out);
          },
          () => response.destroy(),
        );
      });
      onward.on('error', () => response.destroy());
      onward.end(sent);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    url,
    target: (to) => void (origin = to),
    requests,
    secrets,
    tattle: (order) => void (tales = [...tales, order]),
    repeated: () => repeated,
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** As some really do: what was sent comes back in the words of the error, for people and for programs, the secret first. */
function repeat(
  response: ServerResponse,
  status: number,
  { headers, url = '' }: IncomingMessage,
  body: string,
): void {
  const { authorization = '' } = headers;
  const told = `${authorization.replace(/^\S+ /, '')} was told. ${body.slice(0, 400)} ${authorization} ${url}`;
  const error = url.includes('/oauth/')
    ? { error: 'invalid_request', error_description: told }
    : { error: { code: 'told', message: told } };
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-told': authorization })
    .end(JSON.stringify(error));
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
