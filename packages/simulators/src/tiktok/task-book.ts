import { randomBytes } from 'node:crypto';
import type { PostInfo } from './post-book.js';

/** A post on its way, under the id that tells how far it is. */
export interface Task {
  readonly publishId: string;
  readonly accountId: string;
  readonly info: PostInfo;
  readonly kind: 'video' | 'photo';
  /** Of a film that is sent. */
  readonly upload: Upload | null;
  readonly state: 'open' | 'processing' | 'failed';
  readonly why: string | null;
}

export interface Upload {
  readonly token: string;
  readonly endsAtMs: number;
  readonly total: number;
  readonly chunk: number;
  readonly count: number;
  readonly pieces: readonly Uint8Array[];
}

const HOUR_MS = 3_600_000;

/** Posts that were begun. An upload address is good for an hour. */
export function taskBook(now: () => Date) {
  const tasks = new Map<string, Task>();
  const looksLeft = new Map<string, number>();
  let takes = 0;
  const put = (task: Task) => void tasks.set(task.publishId, task);

  return {
    begun: (): readonly Task[] => [...tasks.values()],
    find: (publishId: string) => tasks.get(publishId) ?? null,
    ofUpload: (token: string) => [...tasks.values()].find(({ upload }) => upload?.token === token) ?? null,
    begin(
      task: Pick<Task, 'accountId' | 'info' | 'kind'>,
      upload: Pick<Upload, 'total' | 'chunk' | 'count'> | null,
    ): Task {
      const way = task.kind === 'photo' ? 'p_pub_url~v2' : 'v_pub_file~v2-1';
      const publishId = `${way}.${7_400_000_000_000_000_000n + BigInt(tasks.size)}`;
      const made: Task = {
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
      put(made);
      return made;
    },
    take(task: Task, piece: Uint8Array): Task {
      const { upload } = task;
      const taken = { ...task, upload: upload && { ...upload, pieces: [...upload.pieces, piece] } };
      put(taken);
      return taken;
    },
    /** All of it is there. `why`: nothing comes of it. */
    close(task: Task, why: string | null): void {
      put({ ...task, state: why === null ? 'processing' : 'failed', why });
      looksLeft.set(task.publishId, takes);
    },
    isWorkedOn: ({ publishId }: Task) => (looksLeft.get(publishId) ?? 0) > 0,
    /** Every look brings what is still worked on nearer to its end. */
    look: ({ publishId }: Task) =>
      void looksLeft.set(publishId, Math.max(0, (looksLeft.get(publishId) ?? 0) - 1)),
    /** TikTok knows nothing of it any more. */
    forget: (publishId: string) => void tasks.delete(publishId),
    /** How many looks find what is sent from now on still worked on. */
    processingTakes: (looks: number) => void (takes = looks),
  };
}

export type TaskBook = ReturnType<typeof taskBook>;
