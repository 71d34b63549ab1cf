import { createHash } from 'node:crypto';

export type MediaType = 'image' | 'gifv' | 'video' | 'unknown';

/** A media attachment, before and after a status carries it. */
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

/** Every attachment of an instance, and how far each has been processed. */
export function mediaStore() {
  const all: MastodonAttachment[] = [];
  const gone = new Set<string>();
  const attached = new Set<string>();
  const pollsLeft = new Map<string, number>();
  const failed = new Set<string>();
  let [takes, fails] = [0, false];

  return {
    /** How many were ever uploaded. */
    uploads: () => all.length,
    find: (id: string) => all.find((one) => one.id === id && !gone.has(id)) ?? null,
    add(created: Omit<MastodonAttachment, 'id' | 'bytes' | 'sha256'>, content: Uint8Array): MastodonAttachment {
      const id = String(22_348_600 + all.length);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const one = { ...created, id, bytes: content.length, sha256 };
      all.push(one);
      // A picture is processed while its sender waits, everything else afterwards.
      if (one.type !== 'image') pollsLeft.set(id, takes);
      if (fails) failed.add(id);
      return one;
    },
    /** Whether it is ready; every look brings what is still processed nearer to it. */
    look(id: string): 'ready' | 'processing' | 'failed' {
      const remaining = pollsLeft.get(id) ?? 0;
      pollsLeft.set(id, Math.max(0, remaining - 1));
      if (remaining > 0) return 'processing';
      return failed.has(id) ? 'failed' : 'ready';
    },
    isReady: (id: string) => (pollsLeft.get(id) ?? 0) === 0 && !failed.has(id),
    isAttached: (id: string) => attached.has(id),
    attach: (ids: readonly string[]) => ids.forEach((id) => attached.add(id)),
    /** From now on, after how many looks films and moving pictures are ready. */
    setProcessingPolls: (polls: number) => void (takes = polls),
    /** From now on, whether nothing can be made of what is uploaded. */
    setProcessingFails: (does: boolean) => void (fails = does),
    /** What no status carries goes after a day (`Vacuum::MediaAttachmentsVacuum`). */
    vacuum() {
      for (const { id } of all) if (!attached.has(id)) gone.add(id);
    },
  };
}

export type MediaStore = ReturnType<typeof mediaStore>;
