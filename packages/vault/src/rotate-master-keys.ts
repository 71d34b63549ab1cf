import { timingSafeEqual } from 'node:crypto';
import { ok, refuse, type Result, type WorkspaceId } from '@switchboard/domain';
import type {
  Clock,
  DataKeys,
  RegisteredProcess,
  ProcessRegistry,
  DataKeyRewrap,
  WrappedDataKey,
} from '@switchboard/domain/ports';
import { encodeDataKeyContext, unwrapDataKey } from './data-key.js';
import { refuseUnreadable } from './envelope.js';
import type { MasterKeyProvider } from './master-keys.js';

const BATCH_SIZE = 100;
/** The number of concurrent key service requests. */
const CONCURRENT_REQUESTS = 8;
/** The number of failed key service requests before the rotation aborts. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;

interface RotationDeps {
  readonly masterKeys: MasterKeyProvider;
  readonly dataKeys: Pick<DataKeys, 'find' | 'countByMasterKey' | 'listWrappedByOtherKeys' | 'rewrap'>;
  readonly holders: Pick<ProcessRegistry, 'beginRotation'>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** The number of keys stored per batch. */
  readonly batch?: number;
}

export interface RotationProgress {
  /** The number of data keys under the newest master key, of the total. */
  readonly done: number;
  readonly total: number;
}

export interface RotationResult {
  /** The newest master key. */
  readonly masterKeyId: string;
  readonly rewrapped: number;
  /**
   * The owners of data keys that do not open because they were modified or moved. They stay unchanged. Null
   * is the installation.
   */
  readonly unreadable: readonly (WorkspaceId | null)[];
}

export type RotationFailure = 'vault.unavailable' | 'vault.unreadable' | 'vault.rotation_refused';

/**
 * Wraps every data key with the newest master key. The installation's own key comes first, unless a running
 * process lacks the newest master key; from then on new data keys use the newest master key as well. The
 * other keys follow in batches. A rewrapped key is unwrapped and compared before it is stored, and stored
 * only if the row is unchanged. The rotation can be interrupted and repeated at any point, and can run
 * several times concurrently.
 */
export async function rotateMasterKeys(
  { masterKeys, dataKeys, holders, clock, batch: size = BATCH_SIZE }: RotationDeps,
  {
    onProgress,
    signal,
  }: { readonly onProgress: (progress: RotationProgress) => void; readonly signal: AbortSignal },
): Promise<Result<RotationResult, RotationFailure>> {
  const held = await retryUnavailable(() => masterKeys.list());
  if (!held.ok) return held;
  const [newest] = held.value;
  const rotationStart = await rewrapInstallationKey();
  if (!rotationStart.ok) return rotationStart;
  let rewrapped = rotationStart.value;

  let unreadableOwners: (WorkspaceId | null)[] = [];
  for (;;) {
    const passResult = await rewrapPass();
    if (!passResult.ok) return passResult;
    if (passResult.value.found === 0)
      return ok({ masterKeyId: newest, rewrapped, unreadable: unreadableOwners });
    rewrapped += passResult.value.stored;
    // A concurrent run handles the rest, or new keys were added.
    if (passResult.value.stored < passResult.value.found) await clock.sleep(FIRST_PAUSE_MS, signal);
  }

  async function rewrapInstallationKey(): Promise<Result<number, RotationFailure>> {
    for (;;) {
      const installation = await dataKeys.find(null);
      if (!installation) return refuseUnreadable();
      if (installation.masterKeyId === newest) return ok(0);
      const change = await rewrapDataKey(installation);
      if (!change.ok) return change;
      const outcome = await holders.beginRotation(change.value);
      if (outcome.kind === 'started') return ok(1);
      if (outcome.kind === 'missing_key')
        return refuse('vault.rotation_refused', describeMissingHolders(newest, outcome.processes));
      if (signal.aborted) return refuseInterrupted();
    }
  }

  /**
   * One pass over all keys that are not under the newest master key: the number of readable keys found, and
   * the number stored.
   */
  async function rewrapPass(): Promise<
    Result<{ readonly found: number; readonly stored: number }, RotationFailure>
  > {
    unreadableOwners = [];
    let [found, stored] = [0, 0];
    for (let last: WrappedDataKey | null = null; ;) {
      if (signal.aborted) return refuseInterrupted();
      const batch: readonly WrappedDataKey[] = await dataKeys.listWrappedByOtherKeys(newest, last, size);
      if (batch.length === 0) return ok({ found, stored });
      const changes = await rewrapBatch(batch);
      if (!changes.ok) return changes;
      found += changes.value.length;
      if (changes.value.length > 0) stored += await dataKeys.rewrap(changes.value);
      await reportProgress();
      last = batch.at(-1) ?? null;
    }
  }

  async function rewrapBatch(
    batch: readonly WrappedDataKey[],
  ): Promise<Result<readonly DataKeyRewrap[], RotationFailure>> {
    const changes: DataKeyRewrap[] = [];
    for (let at = 0; at < batch.length; at += CONCURRENT_REQUESTS) {
      const keys = batch.slice(at, at + CONCURRENT_REQUESTS);
      const results = await Promise.all(keys.map(rewrapDataKey));
      for (const [index, result] of results.entries()) {
        const key = keys[index] as WrappedDataKey;
        if (result.ok) changes.push(result.value);
        else if (result.failure.code === 'vault.unreadable') unreadableOwners.push(key.workspaceId);
        else return result;
      }
    }
    return ok(changes);
  }

  async function rewrapDataKey(before: WrappedDataKey): Promise<Result<DataKeyRewrap, RotationFailure>> {
    const opened = await retryUnavailable(() => unwrapDataKey(masterKeys, before));
    if (!opened.ok) return opened;
    const dataKey = opened.value;
    try {
      const wrapped = await retryUnavailable(() =>
        masterKeys.wrap(newest, dataKey, encodeDataKeyContext(before)),
      );
      if (!wrapped.ok) return wrapped;
      const after = { ...before, masterKeyId: newest, wrapped: wrapped.value };
      const again = await retryUnavailable(() => unwrapDataKey(masterKeys, after));
      if (!again.ok) return again.failure.code === 'vault.unreadable' ? refuseMismatch() : again;
      const isSame = timingSafeEqual(again.value, dataKey);
      again.value.fill(0);
      return isSame ? ok({ before, after }) : refuseMismatch();
    } finally {
      dataKey.fill(0);
    }
  }

  async function reportProgress() {
    const uses = await dataKeys.countByMasterKey();
    onProgress({
      total: uses.reduce((sum, use) => sum + use.dataKeys, 0),
      done: uses.find(({ masterKeyId }) => masterKeyId === newest)?.dataKeys ?? 0,
    });
  }

  /** Retries a failing key service with exponential backoff. */
  async function retryUnavailable<Value, Code extends RotationFailure>(
    ask: () => Promise<Result<Value, Code>>,
  ): Promise<Result<Value, Code>> {
    for (let attempt = 1; ; attempt++) {
      const answer = await ask();
      if (answer.ok || answer.failure.code !== 'vault.unavailable' || attempt === ATTEMPTS || signal.aborted)
        return answer;
      await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), signal);
    }
  }
}

const refuseInterrupted = () =>
  refuse(
    'vault.rotation_refused',
    'The rotation was interrupted. No data was lost; run the command again to complete it.',
  );

/**
 * A key that was just wrapped does not unwrap to the same bytes: the key service cannot be trusted with it.
 */
const refuseMismatch = () =>
  refuse('vault.unavailable', 'A rewrapped data key failed verification. The stored key was not changed.');

function describeMissingHolders(masterKeyId: string, holders: readonly RegisteredProcess[]): string {
  const names = holders.map(({ app, pid, host }) => `${app} (process ${pid} on ${host})`).join(', ');
  return `Nothing was changed: the master key ${JSON.stringify(masterKeyId)} is not available to ${names}. Provide it to these processes and run the command again; a stopped process is ignored after 30 seconds.`;
}
