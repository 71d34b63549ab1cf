import { failure, Secret, type Connection, type Manifest } from '@switchboard/domain';
import { openCredential } from '../credential-store.js';
import { renewals, type RenewalOutcome } from '../renewals.js';
import type { Renewed, Scheme } from '../scheme.js';
import { manifestsOf, openVault, type Memory } from './memory.js';
import { manifest, way, workspaceId } from './open-on-sandbox.js';

const HOUR_MS = 3_600_000;

/** An authorization server that answers renewals as it is told, and counts them. */
export function scriptedScheme(store: Memory) {
  const asked: string[] = [];
  const answers: (Renewed | 'new' | Promise<Renewed | void>)[] = [];
  let issued = 1;

  const granted = (token: string, permissions: readonly string[] = ['post']): Renewed => ({
    kind: 'renewed',
    credential: new Secret(`${token} ${store.clock.now().getTime()}`),
    accessExpiresAt: store.clock.after(HOUR_MS),
    permissions,
  });
  const scheme: Scheme = {
    open(credential) {
      const obtainedAt = new Date(Number(credential.reveal().split(' ')[1]));
      return {
        subject: null,
        obtainedAt,
        renewable: true,
        accessExpiresAt: new Date(obtainedAt.getTime() + HOUR_MS),
        send: () => Promise.reject(new Error('nothing is sent here')),
        refusesCredential: () => false,
      };
    },
    async renew({ credential }) {
      asked.push(credential.reveal().split(' ')[0] ?? '');
      const planned = answers.shift() ?? 'new';
      const next = granted(`token-${++issued}`);
      const answer = (await planned) ?? 'new';
      return answer === 'new' ? next : answer;
    },
    revoke: () => Promise.reject(new Error('nothing is revoked here')),
  };

  const outcomes: RenewalOutcome[] = [];
  const { permissions: _, ...plain } = manifest;
  const facts = { ...plain, permissions: { publishing: ['post'] } } as Manifest;
  const open = openCredential({ credentials: store.credentials, vault: openVault });
  /** One process: several share a memory as they would a database. */
  const process = () => {
    const renew = renewals({
      connections: store.connections,
      transactions: store.transactions,
      clock: store.clock,
      ids: store.ids,
      manifests: manifestsOf(facts),
      open,
      onRenewal: (_platform, outcome) => void outcomes.push(outcome),
    });
    return async (connection: Connection, seen: number, urgency: 'soon' | 'ended' | 'refused') => {
      const opened = await renew({ connection, manifest: facts, way, scheme }, seen, urgency);
      return opened.ok ? opened.value.secret.reveal().split(' ')[0] : opened.failure;
    };
  };

  return {
    /** The tokens that were to be renewed. */
    asked,
    /** What it says next, in turn; a promise keeps it waiting. Otherwise it gives a new token. */
    answers,
    outcomes,
    granted,
    over: { kind: 'over' } as Renewed,
    down: (unsettled = false, retryAfterSeconds?: number): Renewed => ({
      kind: 'failed',
      failure: failure('platform.unavailable', 'down', { retryAfterSeconds }),
      unsettled,
    }),
    process,
    async connect(over: Partial<Connection> = {}): Promise<Connection> {
      const connection = {
        id: store.ids.next('con'),
        workspaceId,
        profileId: 'prf_test',
        platform: facts.id,
        version: 1,
        account: { id: `a-${issued}`, username: 'ada', name: null, avatarUrl: null, url: null },
        server: null,
        way: way.id,
        grantedPermissions: ['post'],
        status: 'active',
        statusReason: null,
        expiresAt: null,
        warnedDays: null,
        appMissing: false,
        ...over,
      } as unknown as Connection;
      const credential = new Secret(`token-1 ${store.clock.now().getTime()}`);
      await store.keep(connection, credential, store.clock.after(HOUR_MS));
      return connection;
    },
  };
}
