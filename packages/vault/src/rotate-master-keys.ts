import { timingSafeEqual } from 'node:crypto';
import {
  ok,
  refuse,
  type Clock,
  type DataKeys,
  type RegisteredProcess,
  type ProcessRegistry,
  type Result,
  type DataKeyRewrap,
  type WorkspaceId,
  type WrappedDataKey,
} from '@switchboard/domain';
import { encodeDataKeyContext, unwrapDataKey } from './data-key.js';
import { refuseUnreadable } from './envelope.js';
import type { MasterKeyProvider } from './master-keys.js';

const BATCH_SIZE = 100;
/** How many are on their way to a key service at once. */
const CONCURRENT_REQUESTS = 8;
/** Of a key service that does not answer, before the rotation is left for another time. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;

export interface RotationDeps {
  readonly masterKeys: MasterKeyProvider;
  readonly dataKeys: Pick<DataKeys, 'find' | 'countByMasterKey' | 'listWrappedByOtherKeys' | 'rewrap'>;
  readonly holders: Pick<ProcessRegistry, 'beginRotation'>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** How many are stored at once. */
  readonly batch?: number;
}

export interface RotationProgress {
  /** Data keys under the newest master key, of all there are. */
  readonly done: number;
  readonly total: number;
}

export interface RotationResult {
  /** The newest master key. */
  readonly masterKeyId: string;
  readonly rewrapped: number;
  /** Whose data keys do not open: they were changed or moved. They stay as they are. Null is the installation's own. */
  readonly unreadable: readonly (WorkspaceId | null)[];
}

export type RotationFailure = 'vault.unavailable' | 'vault.unreadable' | 'vault.rotation_refused';

/**
 * Wraps every data key with the newest master key: the installation's own first, unless a process that lives lacks that
 * master key, from then on the newest wraps what is new; then the others, batch by batch. What is to be stored was
 * unwrapped again and compared, and is stored only where nothing has changed. May end anywhere and be begun again, and may
 * be under way several times at once.
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
    // Somebody else is at the rest, or has put new ones there.
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
      if (outcome.kind === 'begun') return ok(1);
      if (outcome.kind === 'lacking')
        return refuse('vault.rotation_refused', describeMissingHolders(newest, outcome.processes));
      if (signal.aborted) return refuseInterrupted();
    }
  }

  /** Once through all that are not under the newest: how many that open were found, and how many of those were stored. */
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

  /** A key service that falters is asked again, with longer and longer pauses. */
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
    'The rotation was interrupted. Nothing is lost; run it again to finish it.',
  );

/** What was wrapped a moment ago does not come back: the key service is not to be trusted with it. */
const refuseMismatch = () =>
  refuse(
    'vault.unavailable',
    'A data key that was wrapped anew did not come back the same. It was left as it was.',
  );

function describeMissingHolders(masterKeyId: string, holders: readonly RegisteredProcess[]): string {
  const names = holders.map(({ app, pid, host }) => `${app} (process ${pid} on ${host})`).join(', ');
  return `Nothing was changed: the master key ${JSON.stringify(masterKeyId)} is not held by ${names}. Give it to them first, and run this again; a process that has ended is forgotten after half a minute.`;
}
