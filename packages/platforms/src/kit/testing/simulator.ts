import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RemoteAccount } from '@switchboard/domain/connections';
import { hasKeyOnlyAt, type KeyLocation, type ReceivedRequest } from './key-location.js';
import { signatureFault, type SigningKeys } from './oauth1-signature.js';
import type { Breakage, PublishedContent, World } from './world.js';

export interface SimulatedResponse {
  readonly status: number;
  /** Default: a response without a body. */
  readonly json?: unknown;
  readonly xml?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SimulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body, or undefined. */
  readonly body: unknown;
  /** The raw body. */
  readonly bytes: Uint8Array;
  /** The fields and files of a multipart form, or undefined. */
  readonly form: FormData | undefined;
}

/** The facts that only the platform's documentation, or its real server, can provide. */
export interface SimulatedPlatform extends PublishedContent {
  readonly account: RemoteAccount;
  /** The response to an expired token and to one that was never issued. */
  readonly expiredTokenResponse: SimulatedResponse;
  readonly unknownTokenResponse: SimulatedResponse;
  /**
   * The response to a login without the permission; null for what needs none. Omitted if tokens have no
   * permissions.
   */
  respondToWeakToken?(
    request: SimulatedRequest,
  ): SimulatedResponse | null | Promise<SimulatedResponse | null>;
  respond(request: SimulatedRequest): SimulatedResponse | Promise<SimulatedResponse>;
  /**
   * Responses at URLs that are themselves the permission, so that no token is sent there (`bare`); null for
   * all other URLs.
   */
  respondWithoutToken?(
    request: SimulatedRequest,
  ): SimulatedResponse | null | Promise<SimulatedResponse | null>;
  /** How many posts or refunds it has ever created. */
  effects(): number;
}

/**
 * A simulated platform on a local port: tokens, faults and counting are implemented here, the responses by
 * the platform.
 */
export async function startSimulator(platform: SimulatedPlatform): Promise<World> {
  const [token, expiredToken, weakToken] = [secret(), secret(), secret()];
  let pendingBreakage: { readonly how: Breakage; skipRequests: number } | null = null;
  let requests = 0;
  let keyPlace: KeyLocation | null = null;
  let signedBy: SigningKeys | null = null;
  const received: ReceivedRequest[] = [];

  const server = createServer((incoming, response) => {
    requests++;
    const how = takeBreakage();
    void readRequest(incoming).then((request) => {
      const { method = 'GET', url = '/', headers } = incoming;
      const one = { method, url, headers, bytes: request.bytes };
      received.push(one);
      return serve(incoming, request, response, how, isKnown(one));
    });
  });

  function isKnown(one: ReceivedRequest): boolean {
    if (signedBy) return signatureFault(one, `http://${one.headers.host ?? ''}`, signedBy) === null;
    return keyPlace === null || hasKeyOnlyAt(keyPlace, token, one);
  }

  function takeBreakage(): Breakage | null {
    if (!pendingBreakage || pendingBreakage.skipRequests-- > 0) return null;
    const { how } = pendingBreakage;
    pendingBreakage = null;
    return how;
  }

  async function serve(
    incoming: IncomingMessage,
    request: SimulatedRequest,
    response: ServerResponse,
    how: Breakage | null,
    isAccepted: boolean,
  ) {
    if (how === 'hang') return;
    if (how === 'reset-before-effect') return incoming.socket.resetAndDestroy();
    if (how === '429') return writeResponse(response, { status: 429, json: {} }, { 'retry-after': '7' });
    if (how === '500-before') return writeResponse(response, { status: 503, json: {} });
    if (how === 'redirect')
      return writeResponse(response, { status: 307 }, { location: 'http://127.0.0.1:9/' });

    const reply = isAccepted ? await authenticate(request) : platform.unknownTokenResponse;
    if (how === 'reset-after-effect') return incoming.socket.resetAndDestroy();
    if (how === '500-after') return writeResponse(response, { status: 500, json: {} });
    if (how === 'garbage') return void response.writeHead(reply.status, JSON_TYPE).end('<{');
    // The ID may also be in a header.
    if (how === '2xx-no-id') return writeResponse(response, { status: reply.status, json: {} });
    if (how !== '2xx-truncated') return writeResponse(response, reply);
    response.writeHead(reply.status, { 'content-length': 1000 });
    response.write('{', () => incoming.socket.destroy());
  }

  /** The token is a bearer token or in the path. */
  async function authenticate(request: SimulatedRequest) {
    const { authorization } = request.headers;
    const provided =
      (keyPlace || signedBy ? token : authorization?.replace(/^(Bearer|OAuth) /, '')) ??
      [token, expiredToken, weakToken].find((one) => request.path.includes(one));
    const open = provided === undefined ? await platform.respondWithoutToken?.(request) : null;
    if (open) return open;
    if (provided === expiredToken) return platform.expiredTokenResponse;
    if (provided === weakToken)
      return (await platform.respondToWeakToken?.(request)) ?? platform.respond(request);
    return provided === token ? platform.respond(request) : platform.unknownTokenResponse;
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: platform.account,
    token,
    expiredToken,
    weakToken,
    withoutPermissions: platform.respondToWeakToken === undefined,
    break: (how, skipRequests = 0) => (pendingBreakage = { how, skipRequests }),
    repair: () => (pendingBreakage = null),
    requests: () => requests,
    received: () => received,
    requireKeyAt: (place) => void (keyPlace = place),
    takeSignedBy: (keys) => void (signedBy = keys),
    effects: () => platform.effects(),
    textOf: (id) => platform.textOf(id),
    parentOf: platform.parentOf?.bind(platform),
    mediaOf: platform.mediaOf?.bind(platform),
    titleOf: platform.titleOf?.bind(platform),
    cardOf: platform.cardOf?.bind(platform),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const secret = () => randomBytes(20).toString('hex');

async function readRequest(incoming: IncomingMessage): Promise<SimulatedRequest> {
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const type = incoming.headers['content-type'] ?? '';
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: type.startsWith('application/json') && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
    bytes,
    form: type.startsWith('multipart/form-data')
      ? await new Response(bytes, { headers: { 'content-type': type } }).formData()
      : undefined,
  };
}

function writeResponse(
  response: ServerResponse,
  { status, json, xml, headers }: SimulatedResponse,
  more: Record<string, string> = {},
) {
  const type = xml === undefined ? json !== undefined && JSON_TYPE : { 'content-type': 'application/xml' };
  response.writeHead(status, { ...type, ...headers, ...more });
  response.end(xml ?? (json === undefined ? undefined : JSON.stringify(json)));
}
