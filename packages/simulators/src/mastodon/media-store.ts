import { createHash } from 'node:crypto';

export type MediaType = 'image' | 'gifv' | 'video' | 'unknown';

/** A media attachment, before and after a status uses it. */
export interface MastodonAttachment {
  readonly id: string;
  readonly accountId: string;
  readonly type: MediaType;
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly description: string | null;
}

/** All attachments of an instance and their processing state. */
export function mediaStore() {
  const all: MastodonAttachment[] = [];
  const gone = new Set<string>();
  const attached = new Set<string>();
  const pollsLeft = new Map<string, number>();
  const failed = new Set<string>();
  let [takes, fails] = [0, false];

  return {
    /** The number of uploads. */
    uploads: () => all.length,
    find: (id: string) => all.find((one) => one.id === id && !gone.has(id)) ?? null,
    add(
      created: Omit<MastodonAttachment, 'id' | 'bytes' | 'sha256'>,
      content: Uint8Array,
    ): MastodonAttachment {
      const id = String(22_348_600 + all.length);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const one = { ...created, id, bytes: content.length, sha256 };
      all.push(one);
      // An image is processed synchronously, all other media asynchronously.
      if (one.type !== 'image') pollsLeft.set(id, takes);
      if (fails) failed.add(id);
      return one;
    },
    /** Whether it is ready; every poll advances the processing. */
    look(id: string): 'ready' | 'processing' | 'failed' {
      const remaining = pollsLeft.get(id) ?? 0;
      pollsLeft.set(id, Math.max(0, remaining - 1));
      if (remaining > 0) return 'processing';
      return failed.has(id) ? 'failed' : 'ready';
    },
    isReady: (id: string) => (pollsLeft.get(id) ?? 0) === 0 && !failed.has(id),
    isAttached: (id: string) => attached.has(id),
    attach: (ids: readonly string[]) => ids.forEach((id) => attached.add(id)),
    /** The number of polls after which videos and animated images are ready from now on. */
    setProcessingPolls: (polls: number) => void (takes = polls),
    /** Whether processing of uploads fails from now on. */
    setProcessingFails: (does: boolean) => void (fails = does),
    /** Attachments without a status are deleted after a day (`Vacuum::MediaAttachmentsVacuum`). */
    vacuum() {
      for (const { id } of all) if (!attached.has(id)) gone.add(id);
    },
  };
}

export type MediaStore = ReturnType<typeof mediaStore>;
