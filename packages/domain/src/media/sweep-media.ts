import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import { uploadExpired } from './media.js';
import { reportMediaFailure } from './report-media-failure.js';

const BATCH = 200;
/** A file is referenced by a row long before this age. Resized images are kept for the same time. */
const ORPHAN_AGE_MS = 86_400_000;

/**
 * Fails uploads that have expired. Removes media unused for thirty days, and bytes without a row: left by a process that crashed between the
 * two writes, by a deleted workspace, or by a resized image that has been downloaded.
 */
export async function sweepMedia(
  ports: Pick<Ports, 'media' | 'mediaFiles' | 'clock' | 'transactions'>,
  stop: AbortSignal,
): Promise<void> {
  await ports.transactions.run(async (tx) => {
    for (const { id, workspaceId } of await tx.media.failExpiredUploads())
      await reportMediaFailure(tx, workspaceId, id, uploadExpired);
    return ok();
  });
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
