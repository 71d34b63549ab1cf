import { startBlueskyProcess } from './bluesky-process.js';

const POSTS = 'app.bsky.feed.post';

export interface BlueskyAccount {
  readonly did: string;
  readonly handle: string;
}

export interface BlueskyRecord {
  readonly uri: string;
  readonly cid: string;
  readonly value: Record<string, unknown>;
}

export interface XrpcCall {
  readonly params?: Record<string, string> | undefined;
  readonly body?: unknown;
  /** An access token of a session, sent as `Bearer`. */
  readonly token?: string | undefined;
}

export interface XrpcResponse {
  readonly status: number;
  readonly body: unknown;
}

/** A PDS as published by Bluesky, local and empty at first, with its own DID directory. */
export interface BlueskyServer {
  /** Also the issuer of its tokens: `http://localhost:port`, reachable on 127.0.0.1 only. */
  readonly url: string;
  readonly plcUrl: string;
  /** `handle` ends in `.test`. */
  createAccount(handle: string, password: string): Promise<BlueskyAccount>;
  createAppPassword(handle: string, password: string, name?: string): Promise<string>;
  /** The PDS's own state, without a cache; `undefined` when there is no such record. */
  getRecord(did: string, rkey: string, collection?: string): Promise<BlueskyRecord | undefined>;
  /** Newest first, at most 100. */
  listRecords(did: string, collection?: string): Promise<readonly BlueskyRecord[]>;
  /** The bytes of a blob that a record references. */
  getBlob(did: string, cid: string): Promise<Buffer>;
  xrpc(method: 'GET' | 'POST', nsid: string, call?: XrpcCall): Promise<XrpcResponse>;
}

export interface BlueskyPds extends BlueskyServer {
  /**
   * Breaks the connection of the next call of an XRPC method: `answer` after the call completed, `request`
   * before.
   */
  dropNext(what: 'request' | 'response', nsid: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startBlueskyPds(): Promise<BlueskyPds> {
  const server = await startBlueskyProcess();
  return {
    ...blueskyServer(server),
    dropNext: (what, nsid) => server.dropNext(what, nsid),
    stop: () => server.stop(),
  };
}

export function blueskyServer(server: Pick<BlueskyServer, 'url' | 'plcUrl'>): BlueskyServer {
  async function xrpc(method: 'GET' | 'POST', nsid: string, call: XrpcCall = {}): Promise<XrpcResponse> {
    const url = new URL(`/xrpc/${nsid}`, server.url);
    for (const [name, value] of Object.entries(call.params ?? {})) url.searchParams.append(name, value);
    const response = await fetch(url, {
      method,
      headers: {
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
        ...(call.token !== undefined && { authorization: `Bearer ${call.token}` }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  async function expectOk<T>(method: 'GET' | 'POST', nsid: string, call: XrpcCall): Promise<T> {
    const { status, body } = await xrpc(method, nsid, call);
    if (status !== 200) throw new Error(`${nsid} returned ${status}: ${JSON.stringify(body)}`);
    return body as T;
  }

  return {
    url: server.url,
    plcUrl: server.plcUrl,
    xrpc,
    async createAccount(handle, password) {
      const email = `${handle.replaceAll('.', '-')}@example.com`;
      const body = { handle, password, email };
      const account = await expectOk<BlueskyAccount>('POST', 'com.atproto.server.createAccount', { body });
      return { did: account.did, handle: account.handle };
    },
    async createAppPassword(handle, password, name = 'switchboard') {
      const session = await expectOk<{ accessJwt: string }>('POST', 'com.atproto.server.createSession', {
        body: { identifier: handle, password },
      });
      const created = await expectOk<{ password: string }>('POST', 'com.atproto.server.createAppPassword', {
        body: { name },
        token: session.accessJwt,
      });
      return created.password;
    },
    async getRecord(did, rkey, collection = POSTS) {
      const params = { repo: did, collection, rkey };
      const { status, body } = await xrpc('GET', 'com.atproto.repo.getRecord', { params });
      if (status === 200) return body as BlueskyRecord;
      if ((body as { error?: string }).error === 'RecordNotFound') return undefined;
      throw new Error(`com.atproto.repo.getRecord returned ${status}: ${JSON.stringify(body)}`);
    },
    async listRecords(did, collection = POSTS) {
      const params = { repo: did, collection, limit: '100' };
      const { records } = await expectOk<{ records: BlueskyRecord[] }>(
        'GET',
        'com.atproto.repo.listRecords',
        {
          params,
        },
      );
      return records;
    },
    async getBlob(did, cid) {
      const url = new URL('/xrpc/com.atproto.sync.getBlob', server.url);
      url.search = new URLSearchParams({ did, cid }).toString();
      const response = await fetch(url);
      if (!response.ok) throw new Error(`com.atproto.sync.getBlob returned ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    },
  };
}
