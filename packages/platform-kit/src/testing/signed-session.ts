import { ok, type ProfileId, type Result, type WorkspaceId } from '@switchboard/domain';
import { auditCounter } from '@switchboard/domain/audit';
import type { ConnectMethod, Manifest, Platform, Session } from '@switchboard/domain/ports';
import {
  countedIds,
  memoryPorts,
  movableClock,
  plaintextVault,
  type MovableClock,
} from '@switchboard/domain/testing';
import { guardedAgents, guardedFetch, undiciOutbound } from '@switchboard/egress';
import { openAuthorizers } from '@switchboard/oauth';
import type { World } from './world.js';

/** A session on entered values, opened by the production code, over real HTTP. */
export async function signedSession(
  platform: Platform,
  world: World,
  connectMethod: ConnectMethod,
  answers: Readonly<Record<string, string>>,
): Promise<Session> {
  const session = await openSessionWith(platform, world, connectMethod, answers);
  if (!session.ok) throw new Error(session.failure.message);
  return session.value;
}

/** The same, with the failure of a refused login. */
export async function openSessionWith(
  platform: Platform,
  world: World,
  connectMethod: ConnectMethod,
  answers: Readonly<Record<string, string>>,
  clock: MovableClock = movableClock(new Date('2026-11-23T12:00:00.000Z')),
): Promise<Result<Session>> {
  const { manifest } = platform;
  const reachable = { allowPrivateHosts: [new URL(world.baseUrl).host], userAgent: 'test' };
  const outbound = undiciOutbound({ ...reachable, breakerOpenMs: 0 });
  const { repositories, transactions } = memoryPorts(clock);
  const { authorizers } = openAuthorizers({
    outbound,
    agents: guardedAgents(reachable),
    apps: { find: async () => ok(null) },
    origins: () => ({ baseUrl: world.baseUrl, authBaseUrl: world.baseUrl }),
    connections: repositories.connections,
    credentials: repositories.credentials,
    transactions,
    auditCounter: auditCounter({ transactions, clock }),
    vault: plaintextVault(),
    clock,
    ids: countedIds(clock),
    manifests: manifestsOf(manifest),
    atproto: {
      fetch: guardedFetch(outbound),
      publicUrl: 'http://127.0.0.1:9',
      clientName: 'Test',
      keys: async () => [],
      plcDirectoryUrl: null,
      handleResolverUrl: null,
      allowHttp: true,
    },
  });
  const { signal } = new AbortController();
  const [workspaceId, profileId] = ['wsp_1' as WorkspaceId, 'prf_1' as ProfileId];
  const grant = await authorizers.login({
    manifest,
    connectMethod,
    fieldValues: answers,
    signal,
    workspaceId,
    profileId,
  });
  if (!grant.ok) return grant;
  const opened = await authorizers.openSession(manifest, connectMethod, grant.value, signal);
  return opened.ok ? ok({ ...opened.value, account: world.account }) : opened;
}

const manifestsOf = (manifest: Manifest) => ({
  find: (id: string) => (id === manifest.id ? manifest : null),
  list: () => [manifest],
  findRules: () => null,
  getAbilities: () => ({ publishing: null, analytics: null, orders: null, refunds: null }),
  listMissingVariables: () => [],
  findClientId: () => null,
});
