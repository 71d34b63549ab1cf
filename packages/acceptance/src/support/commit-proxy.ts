import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '@switchboard/persistence/testing';

/**
 * Where a connection breaks: before the server receives the commit, or after the server executed it and
 * before the client receives the response.
 */
export type CutPoint = 'before the server commits' | 'after the server has committed';

/**
 * A proxy between a process and PostgreSQL that parses the protocol and breaks the connection at a selected
 * commit. Without TLS.
 */
export interface CommitProxy {
  readonly url: string;
  /** Resets the counter and breaks the connection that sends the n-th commit from here; null breaks none. */
  cutAt(commit: number | null, cut?: CutPoint): void;
  /** The number of commits requested since then. */
  commits(): number;
  /**
   * Forwards the next commit of a transaction that executed a matching statement, then holds back all server
   * messages; resolves when it does.
   */
  holdAfterCommitOf(statement: RegExp): Promise<void>;
  /** Forwards everything that was held back. */
  release(): void;
  close(): Promise<void>;
}

const BEGIN = /^\s*BEGIN\b/i;
const COMMIT = /^\s*COMMIT\s*;?\s*$/i;

export async function startCommitProxy(databaseUrl: string): Promise<CommitProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let [commitCount, cutCommit, cutPoint] = [
    0,
    null as number | null,
    'before the server commits' as CutPoint,
  ];

  const servers = new Set<Socket>();
  let isHolding = false;
  let pendingHold: { readonly statement: RegExp; readonly resolve: () => void } | null = null;
  const hold = () => {
    isHolding = true;
    for (const one of servers) one.pause();
    pendingHold?.resolve();
    pendingHold = null;
  };

  const server = createServer((clientSocket) => {
    const serverSocket = connect(Number(target.port), target.hostname);
    servers.add(serverSocket);
    if (isHolding) serverSocket.pause();
    const cut = () => {
      clientSocket.destroy();
      serverSocket.destroy();
    };
    for (const socket of [clientSocket, serverSocket]) {
      open.add(socket);
      // A statement consists of several small messages; Nagle's algorithm would delay each of them.
      socket.setNoDelay(true);
      socket.on('error', cut);
      socket.on('close', () => {
        open.delete(socket);
        servers.delete(serverSocket);
        cut();
      });
    }
    const trackStatement = createStatementTracker();
    let transactionStatements: string[] = [];
    let isResponseHeld = false;
    let holdState: 'the commit' | 'what follows it' | null = null;
    const fromClient = createMessageParser(true);
    clientSocket.on('data', (chunk: Buffer) => {
      for (const message of fromClient(chunk)) {
        const sql = trackStatement(message);
        if (sql !== null && BEGIN.test(sql)) transactionStatements = [];
        if (sql !== null) transactionStatements.push(sql);
        if (sql !== null && COMMIT.test(sql)) {
          const { statement } = pendingHold ?? {};
          if (statement && transactionStatements.some((one) => statement.test(one))) holdState = 'the commit';
          transactionStatements = [];
          commitCount += 1;
          if (commitCount === cutCommit && cutPoint === 'before the server commits') return cut();
          if (commitCount === cutCommit) isResponseHeld = true;
        }
        serverSocket.write(message.bytes);
      }
    });
    const fromServer = createMessageParser(false);
    serverSocket.on('data', (chunk: Buffer) => {
      for (const { type, body, bytes } of fromServer(chunk)) {
        if (isResponseHeld && type === 'C' && body.toString('latin1').startsWith('COMMIT')) return cut();
        clientSocket.write(bytes);
        if (holdState === 'the commit' && type === 'C') holdState = 'what follows it';
        if (holdState === 'what follows it' && type === 'Z') {
          holdState = null;
          hold();
        }
      }
    });
  });
  server.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };

  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    cutAt(commit, cut = 'before the server commits') {
      [commitCount, cutCommit, cutPoint] = [0, commit, cut];
    },
    commits: () => commitCount,
    holdAfterCommitOf: (statement) =>
      new Promise((resolve) => {
        pendingHold = { statement, resolve };
      }),
    release() {
      isHolding = false;
      for (const one of servers) one.resume();
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface ProtocolMessage {
  /** Empty for the first message of a client. */
  readonly type: string;
  readonly body: Buffer;
  readonly bytes: Buffer;
}

/** Splits a stream into PostgreSQL protocol messages. A client's first message has no type. */
function createMessageParser(isClient: boolean): (chunk: Buffer) => ProtocolMessage[] {
  let rest = Buffer.alloc(0);
  let hasType = !isClient;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const whole: ProtocolMessage[] = [];
    for (;;) {
      const at = hasType ? 1 : 0;
      if (rest.length < at + 4) return whole;
      const end = at + rest.readUInt32BE(at);
      if (rest.length < end) return whole;
      const bytes = rest.subarray(0, end);
      whole.push({
        type: hasType ? String.fromCharCode(bytes[0] ?? 0) : '',
        body: bytes.subarray(at + 4),
        bytes,
      });
      hasType = true;
      rest = rest.subarray(end);
    }
  };
}

/**
 * Returns the statement that a client message executes, if any: a simple query, or a previously prepared
 * statement.
 */
function createStatementTracker(): (message: ProtocolMessage) => string | null {
  const statements = new Map<string, string>();
  const portals = new Map<string, string>();
  return ({ type, body }) => {
    const [first = '', second = ''] = body.toString('utf8').split('\0');
    if (type === 'P') statements.set(first, second);
    if (type === 'B') portals.set(first, statements.get(second) ?? '');
    if (type === 'Q') return first;
    return type === 'E' ? (portals.get(first) ?? null) : null;
  };
}
