import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';

const BATCH = 200;
/** Whoever is about to name a file in a row does so long before this. Images made to fit live as long, and need no more. */
const ORPHAN_AGE_MS = 86_400_000;

/**
 * Removes media that nobody has used for thirty days, and bytes that no row names: of a process that died between the two, of
 * a workspace that was deleted, of an image that was made to fit and has been fetched.
 */
export async function sweepMedia(
  ports: Pick<Ports, 'media' | 'mediaFiles' | 'clock' | 'transactions'>,
  stop: AbortSignal,
): Promise<void> {
  for (let files: readonly string[] = ['']; files.length > 0 && !stop.aborted;) {
    const expired = await ports.transactions.run(async (tx) => ok(await tx.media.deleteExpired(BATCH)));
    files = expired.ok ? expired.value : [];
    await ports.mediaFiles.remove(files);
  }

  const before = ports.clock.after(-ORPHAN_AGE_MS);
  let old: string[] = [];
  const removeOrphans = async () => {
    const referenced = await ports.media.findFiles(old);
    await ports.mediaFiles.remove(old.filter((name) => !referenced.has(name)));
    old = [];
  };
  for await (const { name, modifiedAt } of ports.mediaFiles.list()) {
    if (stop.aborted) return;
    if (modifiedAt < before) old.push(name);
    if (old.length === BATCH) await removeOrphans();
  }
  await removeOrphans();
}
