import { auditRow } from '../audit/audit-row.js';
import type { Call } from '../call.js';
import { refuse, type Failure } from '../failure.js';
import type { ConnectionId } from '../ids.js';
import { mapSettled } from '../map-settled.js';
import type { Ports, ReadRepositories, Tx, UnlockedVault } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { changesNothing } from '../version.js';
import { accountServerOf, isSameAccount, type AccountIdentity } from './account-identity.js';
import type { Connection } from './connection.js';
import { storeLogin } from './store-connection.js';
import {
  verifyImport,
  type ConnectionToImport,
  type VerifiedImport,
  type VerifyImportFailureCode,
  type VerifyImportPorts,
} from './verify-import.js';

export interface ImportConnections {
  readonly connections: readonly ConnectionToImport[];
  readonly dryRun?: boolean | undefined;
}

type ImportFailure = Failure<VerifyImportFailureCode | 'connection.exists'>;

/** What became of a row. Of a dry run: what would become of it; an account that is not connected has no id. */
export type ImportedConnection =
  | { readonly status: 'imported' | 'updated'; readonly connectionId: ConnectionId | null }
  | { readonly status: 'failed'; readonly failure: ImportFailure };

/** How many logins are verified at once. */
const CONCURRENCY = 8;

/**
 * Imports logins of another system, each of which its platform has to accept first. The rows do not affect
 * each other, and a row that was imported before changes nothing.
 */
export async function importConnections(
  ports: VerifyImportPorts & Pick<Ports, 'transactions' | 'vault' | 'ids' | 'clock' | 'connections'>,
  call: Call,
  { connections: rows, dryRun = false }: ImportConnections,
): Promise<Result<readonly ImportedConnection[], 'vault.unavailable' | 'vault.unreadable'>> {
  const vault = await ports.vault.unlock(call.workspaceId);
  if (!vault.ok) return vault;
  const verified = new Map<number, Result<VerifiedImport, VerifyImportFailureCode>>();
  await mapSettled(
    rows.entries(),
    call.signal,
    async ([index, row]) => void verified.set(index, await verifyImport(ports, call, row)),
    CONCURRENCY,
  );
  const results: ImportedConnection[] = [];
  const planned: PlannedAccount[] = [];
  // One after the other, in their order: of two rows of one account, the first one counts.
  for (const [index, row] of rows.entries()) {
    const login = verified.get(index) ?? refuse('platform.unavailable', 'The import was interrupted.');
    if (!login.ok) {
      results.push({ status: 'failed', failure: login.failure });
      continue;
    }
    const { value } = login;
    const done = dryRun
      ? await planImport(ports, row, value, planned)
      : await ports.transactions.run((tx) => storeImport(ports, tx, call, vault.value, row, value));
    const isStored = done.ok && done.value.isGrantStored;
    if (!isStored) await value.release();
    results.push(done.ok ? done.value.result : { status: 'failed', failure: done.failure });
  }
  return ok(results);
}

interface ImportOutcome {
  readonly result: Extract<ImportedConnection, { readonly connectionId: unknown }>;
  readonly isGrantStored: boolean;
}

/** A row of the dry run that would have connected its account before the next row. */
interface PlannedAccount {
  readonly profileId: string;
  readonly identity: AccountIdentity;
}

async function planImport(
  ports: Pick<ReadRepositories, 'connections'>,
  row: ConnectionToImport,
  login: VerifiedImport,
  planned: PlannedAccount[],
): Promise<Result<ImportOutcome, 'connection.exists'>> {
  const known = await findConnection(ports.connections, row, login);
  if (!known.ok) return known;
  const { id: profileId } = login.profile;
  const identity = identityOfLogin(login);
  const before = planned.filter((one) => isSameAccount(one.identity, identity));
  if (row.refreshToken && before.some((one) => one.profileId !== profileId)) return refuseSecondProfile();
  const isKnown = known.value !== null || before.some((one) => one.profileId === profileId);
  planned.push({ profileId, identity });
  return ok({
    result: { status: isKnown ? 'updated' : 'imported', connectionId: known.value?.id ?? null },
    isGrantStored: false,
  });
}

async function storeImport(
  ports: Pick<Ports, 'ids' | 'clock'>,
  tx: Tx,
  call: Call,
  vault: UnlockedVault,
  row: ConnectionToImport,
  login: VerifiedImport,
): Promise<Result<ImportOutcome, 'connection.exists' | 'profile.not_found'>> {
  const { profile, manifest, connectMethod, account, grant } = login;
  const { workspaceId, id: profileId } = profile;
  if (!(await tx.profiles.find(workspaceId, profileId)))
    return refuse('profile.not_found', 'The profile was deleted in the meantime.');
  const found = await findConnection(tx.connections, row, login);
  if (!found.ok) return found;
  const locked = found.value && (await tx.connections.lock(workspaceId, found.value.id));
  const known = locked?.profileId === profileId ? locked : null;
  if (known && !outlasts(login, known)) {
    await label(tx, call, known, row);
    return ok({ result: { status: 'updated', connectionId: known.id }, isGrantStored: false });
  }
  const session = {
    id: null,
    workspaceId,
    profileId,
    reconnects: known?.id ?? null,
    externalId: row.externalId ?? null,
    metadata: row.metadata ?? {},
  };
  const toStore = { session, manifest, connectMethod, account, grant };
  const stored = await storeLogin(ports, tx, call, vault, toStore, known);
  if (known && !changesNothing(known, labelsOf(row)))
    await tx.connections.update(workspaceId, known.id, labelsOf(row));
  return ok({
    result: { status: known ? 'updated' : 'imported', connectionId: stored.id },
    isGrantStored: true,
  });
}

/**
 * Whether the imported login replaces the stored one: where that one no longer works, or both end at a known
 * time and the imported one ends later. A login that works is kept, because Switchboard may have renewed it
 * since the export: the older refresh token would end it.
 */
const outlasts = ({ grant }: VerifiedImport, { status, expiresAt }: Connection): boolean =>
  status === 'needs_reauth' ||
  (expiresAt !== null && grant.expiresAt !== null && grant.expiresAt.getTime() > expiresAt.getTime());

/** Sets the row's own labels on a connection that keeps its login. */
async function label(tx: Tx, call: Call, known: Connection, row: ConnectionToImport): Promise<void> {
  const labels = labelsOf(row);
  if (changesNothing(known, labels)) return;
  await tx.connections.update(known.workspaceId, known.id, labels);
  await tx.audit.append(
    auditRow(call, 'importConnection', known.id, { platform: known.platform, labels: true }),
  );
}

const labelsOf = ({ externalId, metadata }: ConnectionToImport) => ({ externalId, metadata });

const identityOfLogin = ({ manifest, account, grant }: VerifiedImport): AccountIdentity => ({
  platform: manifest.id,
  server: accountServerOf(manifest, grant.server),
  id: account.id,
});

/**
 * The account's connection in the profile. Two connections with one refresh token would end each other's
 * login when it rotates.
 */
async function findConnection(
  connections: Pick<Tx['connections'], 'listByAccount'>,
  { refreshToken }: ConnectionToImport,
  login: VerifiedImport,
): Promise<Result<Connection | null, 'connection.exists'>> {
  const { workspaceId, id: profileId } = login.profile;
  const all = await connections.listByAccount(workspaceId, identityOfLogin(login));
  const own = all.find((one) => one.profileId === profileId) ?? null;
  return own === null && all.length > 0 && refreshToken ? refuseSecondProfile() : ok(own);
}

const refuseSecondProfile = () =>
  refuse(
    'connection.exists',
    'Another profile has a connection for this account, and two connections cannot share one refresh token. Move that connection, or connect the account again in this profile.',
  );
