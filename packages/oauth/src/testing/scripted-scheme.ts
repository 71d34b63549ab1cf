import { failure, Secret } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import type { Manifest } from '@switchboard/domain/ports';
import { openCredential } from '../open-credential.js';
import { credentialRenewer, type RenewalOutcome } from '../credential-renewer.js';
import type { TokenRenewalResult, AuthScheme } from '../auth-scheme.js';
import { createManifests, unencryptedVault, type TestStore } from './create-test-store.js';
import { manifest, connectMethod, workspaceId } from './open-sandbox-fixture.js';

const HOUR_MS = 3_600_000;

/** An authorization server that returns the scripted renewals and counts them. */
export function scriptedScheme(store: TestStore) {
  const requestedTokens: string[] = [];
  const plannedResults: (TokenRenewalResult | 'new' | Promise<TokenRenewalResult | void>)[] = [];
  let issued = 1;

  const createRenewal = (token: string, permissions: readonly string[] = ['post']): TokenRenewalResult => ({
    kind: 'renewed',
    credential: new Secret(`${token} ${store.clock.now().getTime()}`),
    accessExpiresAt: store.clock.after(HOUR_MS),
    permissions,
  });
  const scheme: AuthScheme = {
    open(credential) {
      const obtainedAt = new Date(Number(credential.reveal().split(' ')[1]));
      return {
        subject: null,
        obtainedAt,
        isRenewable: true,
        accessExpiresAt: new Date(obtainedAt.getTime() + HOUR_MS),
        send: () => Promise.reject(new Error('nothing is sent here')),
        isCredentialRejected: () => false,
      };
    },
    async renew({ credential }) {
      requestedTokens.push(credential.reveal().split(' ')[0] ?? '');
      const plannedResult = plannedResults.shift() ?? 'new';
      const next = createRenewal(`token-${++issued}`);
      const answer = (await plannedResult) ?? 'new';
      return answer === 'new' ? next : answer;
    },
    revoke: () => Promise.reject(new Error('nothing is revoked here')),
  };

  const outcomes: RenewalOutcome[] = [];
  const { permissions: _, ...plain } = manifest;
  const facts = { ...plain, permissions: { publishing: ['post'] } } as Manifest;
  const open = openCredential({ credentials: store.credentials, vault: unencryptedVault });
  /** One process: several share one store as they would share a database. */
  const process = () => {
    const renew = credentialRenewer({
      connections: store.connections,
      transactions: store.transactions,
      clock: store.clock,
      ids: store.ids,
      manifests: createManifests(facts),
      open,
      onRenewal: (_platform, outcome) => void outcomes.push(outcome),
    });
    return async (connection: Connection, seen: number, urgency: 'soon' | 'ended' | 'refused') => {
      const opened = await renew({ connection, manifest: facts, connectMethod, scheme }, seen, urgency);
      return opened.ok ? opened.value.secret.reveal().split(' ')[0] : opened.failure;
    };
  };

  return {
    /** The tokens whose renewal was requested. */
    asked: requestedTokens,
    /** The next responses, in order; a promise delays one. Without an entry it issues a new token. */
    answers: plannedResults,
    outcomes,
    granted: createRenewal,
    over: { kind: 'over' } as TokenRenewalResult,
    down: (unsettled = false, retryAfterSeconds?: number): TokenRenewalResult => ({
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
        connectMethod: connectMethod.id,
        grantedPermissions: ['post'],
        refusedPermissions: [],
        status: 'active',
        statusReason: null,
        expiresAt: null,
        warnedDays: null,
        appMissing: false,
        watchOrders: false,
        ...over,
      } as unknown as Connection;
      const credential = new Secret(`token-1 ${store.clock.now().getTime()}`);
      await store.storeConnection(connection, credential, store.clock.after(HOUR_MS));
      return connection;
    },
  };
}
