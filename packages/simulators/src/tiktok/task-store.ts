import { randomBytes } from 'node:crypto';
import { uploadProcessing } from '../wire/processing.js';
import type { PostInfo } from './posting.js';

/** A post in progress, under its publish ID. */
export interface PublishTask {
  readonly publishId: string;
  readonly accountId: string;
  readonly info: PostInfo;
  readonly kind: 'video' | 'photo';
  /** For an uploaded video. */
  readonly upload: VideoUpload | null;
  readonly state: 'open' | 'processing' | 'failed';
  readonly reason: string | null;
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

/** Started posts. An upload URL is valid for an hour. */
export function taskStore(now: () => Date) {
  const tasks = new Map<string, PublishTask>();
  const { start, stateOf, poll, setProcessingPolls } = uploadProcessing();
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
        reason: null,
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
    /** The upload is complete. `reason`: the processing fails with it. */
    close(task: PublishTask, reason: string | null): void {
      put({ ...task, state: reason === null ? 'processing' : 'failed', reason });
      start(task.publishId);
    },
    isWorkedOn: ({ publishId }: PublishTask) => stateOf(publishId) === 'processing',
    look: ({ publishId }: PublishTask) => void poll(publishId),
    /** TikTok discards the publish ID. */
    forget: (publishId: string) => void tasks.delete(publishId),
    setProcessingPolls,
  };
}
