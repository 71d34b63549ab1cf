import { createHash } from 'node:crypto';
import type { ApiKey } from '../../src/access/api-key.js';
import { formatKey } from '../../src/access/key-format.js';
import { unrestrictedPolicy, type KeyPolicy } from '../../src/access/policy.js';
import { auditCounter } from '../../src/audit/audit-counter.js';
import type { Call } from '../../src/call.js';
import type { Connection } from '../../src/connections/connection.js';
import type { FailureCode } from '../../src/failure.js';
import type {
  AtomicPorts,
  AuthorizeFailureCode,
  Grant,
  KeyHasher,
  Charts,
  Ports,
  Session,
  SessionFailureCode,
} from '../../src/ports/index.js';
import { ok, type Result } from '../../src/result.js';
import { Secret } from '../../src/secret.js';
import { builders } from '../builders.js';
import { memoryLimits, unlimitedAddresses } from '../memory/memory-limits.js';
import { memoryWaitingSlots, polledChanges } from '../memory/memory-waiting.js';
import { memoryPorts } from '../memory/memory-ports.js';
import { memoryMediaFiles } from '../memory/memory-media-files.js';
import { memorySocial, type MemorySocial } from './memory-social.js';
import {
  fakeApprovalLinks,
  fakeDownloads,
  fakeLinkPreviews,
  fakeMediaLinks,
  fakeMediaTools,
} from './fake-media.js';
import { fakeWebhookClient } from './fake-webhooks.js';
import { plaintextCursors } from './plaintext-cursors.js';
import { plaintextVault } from './plaintext-vault.js';

/**
 * A workspace with one profile and in-memory social platforms: every port that use cases and dispatch need.
 */
export async function createTestEnvironment(socials: readonly MemorySocial[] = [memorySocial()]) {
  const memory = memoryPorts();
  const { ids, repositories, transactions, clock } = memory;
  const build = builders(memory);
  const workspace = build.workspace();
  const profile = build.profile(workspace, { isDefault: true });
  await repositories.workspaces.insert(workspace);
  await repositories.profiles.insert(profile);

  const vault = plaintextVault();
  const missing = new Map<string, readonly string[]>();
  const clientIds = new Map<string, string>();
  const revoked: string[] = [];
  const renewed: string[] = [];
  /** The next results of the platforms' authorization; by default it succeeds. */
  const authorization: {
    grantResult: Result<Grant, AuthorizeFailureCode>;
    sessionResult: Result<undefined, SessionFailureCode>;
    /** Whether an import logs in with what is imported, and obtains a login of its own. */
    obtainsImported: boolean;
    /** Runs while the platform is asked for a grant. */
    meanwhile: (() => Promise<unknown>) | null;
  } = { grantResult: ok(grantOf('a token')), sessionResult: ok(), obtainsImported: false, meanwhile: null };
  const find = (id: string) => socials.find(({ platform }) => platform.manifest.id === id)?.platform ?? null;
  const session = (
    { account, server = null }: Pick<Connection, 'account'> & Partial<Pick<Connection, 'server'>>,
    signal: AbortSignal,
  ) => {
    const baseUrl = server ?? 'https://social.example';
    return { account, signal, baseUrl, grantedPermissions: [] } as unknown as Session;
  };
  let random = 0;

  const limits = memoryLimits();
  const mediaFiles = memoryMediaFiles(clock);
  const mediaLinks = fakeMediaLinks(clock);
  const downloads = fakeDownloads();
  const linkPreviews = fakeLinkPreviews();
  const mediaTools = fakeMediaTools();
  const webhookClient = fakeWebhookClient();

  const ports: Ports = {
    ...repositories,
    transactions,
    auditCounter: auditCounter({ transactions, clock }),
    limits,
    addressThrottle: unlimitedAddresses,
    callerQueries: { run: (_caller, work) => work() },
    changes: polledChanges(clock),
    waitingSlots: memoryWaitingSlots(),
    clock,
    ids,
    vault,
    mediaFiles,
    approvalLinks: fakeApprovalLinks,
    mediaLinks,
    mediaTools,
    downloads,
    linkPreviews,
    webhookClient,
    charts: fakeCharts,
    keyHasher: countingKeyHasher(),
    cursors: plaintextCursors,
    tokens: {
      random: () => `random-${++random}`,
      digest: (text) => new Uint8Array(createHash('sha256').update(text).digest()),
      digestHex: (text) => createHash('sha256').update(text).digest('hex'),
    },
    settings: {
      publicUrl: 'https://switchboard.example',
      mcpUrl: 'https://mcp.example/mcp',
      version: '0.0.0',
      production: true,
      sandbox: true,
      hostedPages: true,
      sendsEmail: true,
    },
    platforms: { find, list: () => socials.map(({ platform }) => platform) },
    manifests: {
      find: (id) => find(id)?.manifest ?? null,
      list: () => socials.map(({ platform }) => platform.manifest),
      findRules: (id) => find(id)?.publishing ?? null,
      getAbilities(id) {
        const publishing = find(id)?.publishing;
        return {
          publishing: publishing
            ? {
                readBack: publishing.find !== undefined,
                unpublish: publishing.remove !== undefined,
                edit: publishing.edit !== undefined,
              }
            : null,
          analytics: null,
          orders: null,
          refunds: null,
        };
      },
      listMissingVariables: (id) => missing.get(id) ?? [],
      findClientId: (id) => clientIds.get(id) ?? null,
    },
    sessions: {
      open: async (connection, _use, signal) =>
        authorization.sessionResult.ok ? ok(session(connection, signal)) : authorization.sessionResult,
      renew: async ({ id }, generation) => {
        renewed.push(`${id} ${generation}`);
        return authorization.sessionResult;
      },
      findAppSecret: async () => ok(new Secret('secret of the app')),
    },
    authorizers: {
      begin: async ({ state }) =>
        ok({ url: `https://social.example/authorize?state=${state}`, context: new Secret(`of ${state}`) }),
      accept: async () => authorization.grantResult,
      complete: async ({ context, parameters }) => {
        if (context.reveal() !== `of ${parameters['state']}`) throw new Error('the wrong context');
        await authorization.meanwhile?.();
        return authorization.grantResult;
      },
      login: async () => {
        await authorization.meanwhile?.();
        return authorization.grantResult;
      },
      importGrant: async ({ accessToken }) => {
        const { grantResult } = authorization;
        if (!grantResult.ok) return grantResult;
        const grant = { ...grantResult.value, credential: accessToken };
        return ok({ grant, isObtained: authorization.obtainsImported });
      },
      openSession: async (_manifest, _connectMethod, _grant, signal) =>
        ok(session({ account: { id: '', username: null, name: null, avatarUrl: null, url: null } }, signal)),
      createAccountGrant: (_connectMethod, login, token) => ({ ...login, credential: token }),
      revoke: async ({ credential }) => {
        revoked.push(credential.reveal());
        return ok();
      },
      sharesGrant: (_connectMethod, one, other) => one.reveal() === other.reveal(),
    },
  };

  const key = (over: Partial<ApiKey> = {}, policy: Partial<KeyPolicy> = {}) =>
    build.apiKey(workspace, {
      scopes: ['posts:write'],
      policy: { ...unrestrictedPolicy, ...policy },
      ...over,
    });
  return {
    ...memory,
    ports,
    /** Runs with the ports of an atomic operation, in a transaction that commits when it returns ok. */
    atomic: <Value, Code extends FailureCode>(
      work: (atomicPorts: AtomicPorts) => Promise<Result<Value, Code>>,
    ): Promise<Result<Value, Code>> => transactions.run((tx) => work({ ...ports, ...tx })),
    vault,
    limits,
    mediaFiles,
    mediaLinks,
    mediaTools,
    downloads,
    linkPreviews,
    webhookClient,
    build,
    workspace,
    mediaOptions: { workspaceId: workspace.id },
    profile,
    socials,
    doors: authorization,
    missing,
    /** The operator's apps, by platform. */
    clientIds,
    /** The revoked grants, by their credential. */
    revoked,
    /** Renewals ahead of expiry: connections and generations. */
    renewed,
    key,
    async connect(over: Partial<Connection> = {}, of = profile): Promise<Connection> {
      const connection = build.connection(of, over);
      await repositories.connections.insert(connection);
      return connection;
    },
    /** The unrestricted operator. */
    operator: (): Call => ({
      requestId: 'req_operator',
      surface: 'cli',
      workspaceId: workspace.id,
      actor: { kind: 'system', name: 'operator' },
      signal: new AbortController().signal,
      waitSeconds: 0,
    }),
    call: (over: Partial<Call> = {}, policy: Partial<KeyPolicy> = {}): Call =>
      build.call(key({}, policy), over),
  };
}

export type TestEnvironment = Awaited<ReturnType<typeof createTestEnvironment>>;

export const grantOf = (credential: string, server: string | null = null): Grant => ({
  credential: new Secret(credential),
  accessExpiresAt: null,
  expiresAt: null,
  permissions: ['post'],
  server,
});

/** Distinguishable keys, with a plain hash. */
function countingKeyHasher(): KeyHasher {
  let count = 0;
  const hashOf = (token: string) => new TextEncoder().encode(`hash of ${token}`);
  return {
    generate() {
      const publicId = String(++count).padStart(12, '0');
      const token = formatKey(publicId, String(count).padStart(43, 'x'));
      return { token: new Secret(token), publicId, hash: hashOf(token) };
    },
    matches: (token, hash) => hash !== null && hashOf(token.reveal()).join() === hash.join(),
  };
}

const fakeCharts: Charts = {
  draw: async (chart) => ({ svg: `<svg>${JSON.stringify(chart)}</svg>`, digest: JSON.stringify(chart) }),
  drawPng: async () => new Uint8Array([137, 80, 78, 71]),
};
