import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.js';

/** Where a connection breaks: the server never hears of the commit, or has done it and the client never hears. */
export type Cut = 'before the server commits' | 'after the server has committed';

/** Stands between a process and PostgreSQL, reads along, and breaks a connection at a commit of our choice. Without TLS. */
export interface CommitProxy {
  readonly url: string;
  /** Counts from nought again, and breaks the connection that sends the n-th commit from here; null breaks none. */
  cutAt(commit: number | null, cut?: Cut): void;
  /** How many commits were asked for since then. */
  commits(): number;
  /** Lets the next commit of a transaction that said this through, and then holds back whatever the server says; resolves when it does. */
  holdAfterCommitOf(statement: RegExp): Promise<void>;
  /** Says all that was held back. */
  release(): void;
  close(): Promise<void>;
}

const BEGIN = /^\s*BEGIN\b/i;
const COMMIT = /^\s*COMMIT\s*;?\s*$/i;

export async function startCommitProxy(databaseUrl: string): Promise<CommitProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let [seen, wanted, how] = [0, null as number | null, 'before the server commits' as Cut];

  const servers = new Set<Socket>();
  let holding = false;
  let waits: { readonly statement: RegExp; readonly resolve: () => void } | null = null;
  const hold = () => {
    holding = true;
    for (const one of servers) one.pause();
    waits?.resolve();
    waits = null;
  };

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    servers.add(far);
    if (holding) far.pause();
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      open.add(socket);
      // A statement is several small messages: none of them waits for the answer to another.
      socket.setNoDelay(true);
      socket.on('error', cut);
      socket.on('close', () => {
        open.delete(socket);
        servers.delete(far);
        cut();
      });
    }
    const executed = readsAlong();
    let said: string[] = [];
    let holdsAnswer = false;
    let holdsFrom: 'the commit' | 'what follows it' | null = null;
    const fromClient = messages(true);
    near.on('data', (chunk: Buffer) => {
      for (const message of fromClient(chunk)) {
        const sql = executed(message);
        if (sql !== null && BEGIN.test(sql)) said = [];
        if (sql !== null) said.push(sql);
        if (sql !== null && COMMIT.test(sql)) {
          const { statement } = waits ?? {};
          if (statement && said.some((one) => statement.test(one))) holdsFrom = 'the commit';
          said = [];
          seen += 1;
          if (seen === wanted && how === 'before the server commits') return cut();
          if (seen === wanted) holdsAnswer = true;
        }
        far.write(message.bytes);
      }
    });
    const fromServer = messages(false);
    far.on('data', (chunk: Buffer) => {
      for (const { type, body, bytes } of fromServer(chunk)) {
        if (holdsAnswer && type === 'C' && body.toString('latin1').startsWith('COMMIT')) return cut();
        near.write(bytes);
        if (holdsFrom === 'the commit' && type === 'C') holdsFrom = 'what follows it';
        if (holdsFrom === 'what follows it' && type === 'Z') {
          holdsFrom = null;
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
      [seen, wanted, how] = [0, commit, cut];
    },
    commits: () => seen,
    holdAfterCommitOf: (statement) =>
      new Promise((resolve) => {
        waits = { statement, resolve };
      }),
    release() {
      holding = false;
      for (const one of servers) one.resume();
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Message {
  /** Empty for what a client says first. */
  readonly type: string;
  readonly body: Buffer;
  readonly bytes: Buffer;
}

/** Cuts a stream into the messages of PostgreSQL's protocol. A client's first one bears no type. */
function messages(isClient: boolean): (chunk: Buffer) => Message[] {
  let rest = Buffer.alloc(0);
  let typed = !isClient;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const whole: Message[] = [];
    for (;;) {
      const at = typed ? 1 : 0;
      if (rest.length < at + 4) return whole;
      const end = at + rest.readUInt32BE(at);
      if (rest.length < end) return whole;
      const bytes = rest.subarray(0, end);
      whole.push({
        type: typed ? String.fromCharCode(bytes[0] ?? 0) : '',
        body: bytes.subarray(at + 4),
        bytes,
      });
      typed = true;
      rest = rest.subarray(end);
    }
  };
}

/** Tells what a client's message has executed, if it does: a plain query, or a statement that was prepared before. */
function readsAlong(): (message: Message) => string | null {
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
