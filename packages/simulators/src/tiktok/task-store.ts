import { randomBytes } from 'node:crypto';
import type { PostInfo } from './post-store.js';

/** A post on its way, under the id that tells how far it is. */
export interface PublishTask {
  readonly publishId: string;
  readonly accountId: string;
  readonly info: PostInfo;
  readonly kind: 'video' | 'photo';
  /** Of a film that is sent. */
  readonly upload: VideoUpload | null;
  readonly state: 'open' | 'processing' | 'failed';
  readonly why: string | null;
}

export interface VideoUpload {
  readonly token: string;
  readonly endsAtMs: number;
  readonly total: number;
  readonly chunk: number;
  readonly count: number;
  readonly pieces: readonly Uint8Array[];
}

const HOUR_MS = 3_600_000;

/** Posts that were begun. An upload address is good for an hour. */
export function taskStore(now: () => Date) {
  const tasks = new Map<string, PublishTask>();
  const pollsLeft = new Map<string, number>();
  let takes = 0;
  const put = (task: PublishTask) => void tasks.set(task.publishId, task);

  return {
    begun: (): readonly PublishTask[] => [...tasks.values()],
    find: (publishId: string) => tasks.get(publishId) ?? null,
    ofUpload: (token: string) => [...tasks.values()].find(({ upload }) => upload?.token === token) ?? null,
    begin(
      task: Pick<PublishTask, 'accountId' | 'info' | 'kind'>,
      upload: Pick<VideoUpload, 'total' | 'chunk' | 'count'> | null,
    ): PublishTask {
      const way = task.kind === 'photo' ? 'p_pub_url~v2' : 'v_pub_file~v2-1';
      const publishId = `${way}.${7_400_000_000_000_000_000n + BigInt(tasks.size)}`;
      const created: PublishTask = {
        ...task,
        publishId,
        state: 'open',
        why: null,
        upload: upload && {
          ...upload,
          token: randomBytes(12).toString('hex'),
          pieces: [],
          endsAtMs: now().getTime() + HOUR_MS,
        },
      };
      put(created);
      return created;
    },
    take(task: PublishTask, piece: Uint8Array): PublishTask {
      const { upload } = task;
      const accepted = { ...task, upload: upload && { ...upload, pieces: [...upload.pieces, piece] } };
      put(accepted);
      return accepted;
    },
    /** All of it is there. `why`: nothing comes of it. */
    close(task: PublishTask, why: string | null): void {
      put({ ...task, state: why === null ? 'processing' : 'failed', why });
      pollsLeft.set(task.publishId, takes);
    },
    isWorkedOn: ({ publishId }: PublishTask) => (pollsLeft.get(publishId) ?? 0) > 0,
    /** Every look brings what is still worked on nearer to its end. */
    look: ({ publishId }: PublishTask) =>
      void pollsLeft.set(publishId, Math.max(0, (pollsLeft.get(publishId) ?? 0) - 1)),
    /** TikTok knows nothing of it any more. */
    forget: (publishId: string) => void tasks.delete(publishId),
    /** How many looks find what is sent from now on still worked on. */
    setProcessingPolls: (polls: number) => void (takes = polls),
  };
}

export type TaskStore = ReturnType<typeof taskStore>;
