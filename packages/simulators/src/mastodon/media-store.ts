import { numbersFrom, objectStore, type StoredObject } from '../wire/object-store.js';
import { uploadProcessing } from '../wire/processing.js';
import { sha256Of } from '../wire/sha256.js';

export type MediaType = 'image' | 'gifv' | 'video' | 'unknown';

/** A media attachment, before and after a status uses it. */
export interface MastodonAttachment extends StoredObject {
  readonly accountId: string;
  readonly type: MediaType;
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly description: string | null;
}

export function mediaStore(now: () => Date) {
  const { all, create, find, remove } = objectStore<MastodonAttachment>(now, numbersFrom(22_348_600n));
  const attached = new Set<string>();
  const { start, stateOf, poll, ...controls } = uploadProcessing();

  return {
    find,
    poll,
    ...controls,
    /** The number of uploads. */
    uploads: () => all.length,
    add(
      fields: Omit<MastodonAttachment, 'id' | 'createdAt' | 'bytes' | 'sha256'>,
      content: Uint8Array,
    ): MastodonAttachment {
      const created = create({ ...fields, bytes: content.length, sha256: sha256Of(content) });
      // An image is processed synchronously, all other media asynchronously.
      start(created.id, created.type !== 'image');
      return created;
    },
    isReady: (id: string) => stateOf(id) === 'ready',
    isAttached: (id: string) => attached.has(id),
    attach: (ids: readonly string[]) => ids.forEach((id) => attached.add(id)),
    /** Attachments without a status are deleted after a day (`Vacuum::MediaAttachmentsVacuum`). */
    vacuum() {
      for (const { id } of all) if (!attached.has(id)) remove(id);
    },
  };
}

export type MediaStore = ReturnType<typeof mediaStore>;
