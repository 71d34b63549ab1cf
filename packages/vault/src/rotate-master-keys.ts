import { timingSafeEqual } from 'node:crypto';
import {
  ok,
  refuse,
  type Clock,
  type DataKeys,
  type KeyHolder,
  type KeyHolders,
  type Result,
  type Rewrapping,
  type WorkspaceId,
  type WrappedDataKey,
} from '@switchboard/domain';
import { dataKeyPlace, unwrapDataKey } from './data-key.js';
import { unreadable } from './envelope.js';
import type { MasterKeyProvider } from './master-keys.js';

const BATCH = 100;
/** How many are on their way to a key service at once. */
const AT_ONCE = 8;
/** Of a key service that does not answer, before the rotation is left for another time. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 500;

export interface RotationParts {
  readonly masterKeys: MasterKeyProvider;
  readonly dataKeys: Pick<DataKeys, 'find' | 'countByMasterKey' | 'listNotUnder' | 'rewrap'>;
  readonly holders: Pick<KeyHolders, 'begin'>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** How many are stored at once. */
  readonly batch?: number;
}

export interface RotationProgress {
  /** Data keys under the newest master key, of all there are. */
  readonly done: number;
  readonly total: number;
}

export interface Rotation {
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
  { masterKeys, dataKeys, holders, clock, batch: size = BATCH }: RotationParts,
  {
    onProgress,
    signal,
  }: { readonly onProgress: (progress: RotationProgress) => void; readonly signal: AbortSignal },
): Promise<Result<Rotation, RotationFailure>> {
  const held = await insist(() => masterKeys.list());
  if (!held.ok) return held;
  const [newest] = held.value;
  const begun = await begin();
  if (!begun.ok) return begun;
  let rewrapped = begun.value;

  let broken: (WorkspaceId | null)[] = [];
  for (;;) {
    const passed = await pass();
    if (!passed.ok) return passed;
    if (passed.value.found === 0) return ok({ masterKeyId: newest, rewrapped, unreadable: broken });
    rewrapped += passed.value.stored;
    // Somebody else is at the rest, or has put new ones there.
    if (passed.value.stored < passed.value.found) await clock.sleep(FIRST_PAUSE_MS, signal);
  }

  async function begin(): Promise<Result<number, RotationFailure>> {
    for (;;) {
      const installation = await dataKeys.find(null);
      if (!installation) return unreadable();
      if (installation.masterKeyId === newest) return ok(0);
      const change = await wrapAnew(installation);
      if (!change.ok) return change;
      const outcome = await holders.begin(change.value);
      if (outcome.kind === 'begun') return ok(1);
      if (outcome.kind === 'lacking')
        return refuse('vault.rotation_refused', lacking(newest, outcome.holders));
      if (signal.aborted) return interrupted();
    }
  }

  /** Once through all that are not under the newest: how many that open were found, and how many of those were stored. */
  async function pass(): Promise<
    Result<{ readonly found: number; readonly stored: number }, RotationFailure>
  > {
    broken = [];
    let [found, stored] = [0, 0];
    for (let last: WrappedDataKey | null = null; ;) {
      if (signal.aborted) return interrupted();
      const batch: readonly WrappedDataKey[] = await dataKeys.listNotUnder(newest, last, size);
      if (batch.length === 0) return ok({ found, stored });
      const changes = await changesOf(batch);
      if (!changes.ok) return changes;
      found += changes.value.length;
      if (changes.value.length > 0) stored += await dataKeys.rewrap(changes.value);
      await tell();
      last = batch.at(-1) ?? null;
    }
  }

  async function changesOf(
    batch: readonly WrappedDataKey[],
  ): Promise<Result<readonly Rewrapping[], RotationFailure>> {
    const changes: Rewrapping[] = [];
    for (let at = 0; at < batch.length; at += AT_ONCE) {
      const keys = batch.slice(at, at + AT_ONCE);
      const results = await Promise.all(keys.map(wrapAnew));
      for (const [index, result] of results.entries()) {
        const key = keys[index] as WrappedDataKey;
        if (result.ok) changes.push(result.value);
        else if (result.failure.code === 'vault.unreadable') broken.push(key.workspaceId);
        else return result;
      }
    }
    return ok(changes);
  }

  async function wrapAnew(before: WrappedDataKey): Promise<Result<Rewrapping, RotationFailure>> {
    const opened = await insist(() => unwrapDataKey(masterKeys, before));
    if (!opened.ok) return opened;
    const dataKey = opened.value;
    try {
      const wrapped = await insist(() => masterKeys.wrap(newest, dataKey, dataKeyPlace(before)));
      if (!wrapped.ok) return wrapped;
      const after = { ...before, masterKeyId: newest, wrapped: wrapped.value };
      const again = await insist(() => unwrapDataKey(masterKeys, after));
      if (!again.ok) return again.failure.code === 'vault.unreadable' ? notTheSame() : again;
      const same = timingSafeEqual(again.value, dataKey);
      again.value.fill(0);
      return same ? ok({ before, after }) : notTheSame();
    } finally {
      dataKey.fill(0);
    }
  }

  async function tell() {
    const uses = await dataKeys.countByMasterKey();
    onProgress({
      total: uses.reduce((sum, use) => sum + use.dataKeys, 0),
      done: uses.find(({ masterKeyId }) => masterKeyId === newest)?.dataKeys ?? 0,
    });
  }

  /** A key service that falters is asked again, with longer and longer pauses. */
  async function insist<Value, Code extends RotationFailure>(
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

const interrupted = () =>
  refuse(
    'vault.rotation_refused',
    'The rotation was interrupted. Nothing is lost; run it again to finish it.',
  );

/** What was wrapped a moment ago does not come back: the key service is not to be trusted with it. */
const notTheSame = () =>
  refuse(
    'vault.unavailable',
    'A data key that was wrapped anew did not come back the same. It was left as it was.',
  );

function lacking(masterKeyId: string, holders: readonly KeyHolder[]): string {
  const names = holders.map(({ app, pid, host }) => `${app} (process ${pid} on ${host})`).join(', ');
  return `Nothing was changed: the master key ${JSON.stringify(masterKeyId)} is not held by ${names}. Give it to them first, and run this again; a process that has ended is forgotten after half a minute.`;
}
