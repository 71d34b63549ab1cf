import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { findInvalidEvents } from './find-invalid-events.js';

export type Env = Readonly<Record<string, string>>;

export interface SwitchboardOptions {
  /** The name of its database; a separate name for a test file that must run alone. */
  readonly name: string;
  /** A migrated or empty database, instead of one on the test server. */
  readonly databaseUrl?: string | undefined;
  readonly env?: Env | undefined;
  /** Serve MCP over HTTP as well. */
  readonly mcp?: boolean | undefined;
}

/** REST or MCP over HTTP: a process, or a part of the process of the test. */
export interface Server {
  /** What it has logged or printed. */
  output(): string;
  stop(): Promise<unknown>;
}

/** The first REST server includes the sandbox. Replicas can be processes where the first servers are not. */
export interface Installation<Started extends Server, Other extends Server = Started> {
  readonly url: string;
  readonly mcpUrl: string;
  readonly sandboxUrl: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The keys of the first start: one with every scope, and the agent key. */
  readonly keys: { readonly full: string; readonly agent: string };
  /** The environment of another process of this installation. */
  readonly env: Env;
  readonly rest: Started;
  /** MCP over HTTP, if it was requested. */
  readonly mcpServer: Started | null;
  /** Starts REST again on the same port. */
  restartRest(): Promise<Started>;
  /** A second REST server on the same database, as on another machine. */
  startReplica(env?: Env): Promise<Replica<Other>>;
  /** The output of all servers so far. */
  logs(): string;
  stop(): Promise<void>;
}

/** Of what any test needs. */
export type Switchboard = Installation<Server>;

export interface Replica<Started extends Server = Server> {
  readonly url: string;
  readonly server: Started;
}

export type ServerKind = 'rest' | 'mcp';

/** Resolves when the server responds; rejects when it cannot start. */
export type ServerStarter<Started extends Server> = (kind: ServerKind, env: Env) => Promise<Started>;

/** Through the transaction pooler in front of the test server, where the suite has one (`pnpm test:ha`). */
export function databaseEnv(url: string): Env {
  const { SWITCHBOARD_TEST_POOLER: pooler } = process.env;
  if (pooler === undefined) return { DATABASE_URL: url };
  const pooled = Object.assign(new URL(url), { host: pooler }).href;
  return { DATABASE_URL: pooled, SWITCHBOARD_DIRECT_DATABASE_URL: url };
}

/** `startServer` and `startOther`, for the replicas, decide whether servers are processes. */
export async function startInstallation<Started extends Server, Other extends Server>(
  { name, databaseUrl: given, env: more, mcp }: SwitchboardOptions,
  startServer: ServerStarter<Started>,
  startOther: ServerStarter<Other>,
): Promise<Installation<Started, Other>> {
  const databaseUrl = given ?? (await testDatabase(name));
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-acceptance-'));
  const [port, mcpPort, sandboxPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const env: Env = {
    NODE_ENV: 'development',
    ...databaseEnv(databaseUrl),
    SWITCHBOARD_ALLOW_DEV: '1',
    SWITCHBOARD_DATA_DIR: dataDir,
    SWITCHBOARD_MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
    PORT: String(port),
    MCP_PORT: String(mcpPort),
    SWITCHBOARD_SANDBOX_PORT: String(sandboxPort),
    SWITCHBOARD_TOOLSETS: 'social,commerce,connections,admin',
    LOG_LEVEL: 'debug',
    // Tests of other behavior are not rate limited.
    SWITCHBOARD_RATE_LIMIT: '1000000',
    SWITCHBOARD_WORKSPACE_RATE_LIMIT: '1000000',
    SWITCHBOARD_UNAUTHENTICATED_RATE_LIMIT: '1000000',
    SWITCHBOARD_OAUTH_REGISTRATION: 'on',
    ...more,
  };
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const started: Server[] = [];
  const folders = [dataDir];
  const add = async <One extends Server>(starting: Promise<One>) => {
    const server = await starting;
    started.push(server);
    return server;
  };
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    // A database of the caller's may have events that no process wrote.
    const invalid = given === undefined ? await findInvalidEvents(databaseUrl) : [];
    if (invalid.length > 0) throw new Error(`Events differ from the API document:\n${invalid.join('\n')}`);
  };

  try {
    const rest = await add(startServer('rest', env));
    const mcpServer = mcp ? await add(startServer('mcp', env)) : null;
    const key = async (file: string) => (await readFile(join(dataDir, file), 'utf8')).trim();
    return {
      url: `http://127.0.0.1:${port}`,
      mcpUrl: `http://127.0.0.1:${mcpPort}/mcp`,
      sandboxUrl,
      databaseUrl,
      dataDir,
      keys: { full: await key('api-key'), agent: await key('agent-key') },
      env,
      rest,
      mcpServer,
      restartRest: () => add(startServer('rest', env)),
      async startReplica(its = {}) {
        const folder = await mkdtemp(join(tmpdir(), 'switchboard-acceptance-'));
        folders.push(folder);
        const [replicaPort, unused] = await Promise.all([freePort(), freePort()]);
        const replicaEnv = {
          ...env,
          SWITCHBOARD_DATA_DIR: folder,
          PORT: String(replicaPort),
          // Its own sandbox stays empty: the platforms are those of the first server.
          SWITCHBOARD_SANDBOX_PORT: String(unused),
          SWITCHBOARD_SANDBOX_SOCIAL_BASE_URL: sandboxUrl,
          SWITCHBOARD_SANDBOX_STORE_BASE_URL: sandboxUrl,
          SWITCHBOARD_ALLOW_PRIVATE_HOSTS: [env['SWITCHBOARD_ALLOW_PRIVATE_HOSTS'], new URL(sandboxUrl).host]
            .filter(Boolean)
            .join(','),
          ...its,
        };
        const server = await add(startOther('rest', replicaEnv));
        return { url: `http://127.0.0.1:${replicaPort}`, server };
      },
      logs: () => started.map((server) => server.output()).join('\n'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
