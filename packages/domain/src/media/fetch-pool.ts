import type { MediaId, WorkspaceId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import { fetchMedia } from './fetch-media.js';

/** The maximum number of concurrent downloads per process and per workspace: servers may be slow. */
const CONCURRENCY_MAX = 24;
const PER_WORKSPACE = 4;

type FetchPorts = Parameters<typeof fetchMedia>[0] & Pick<Ports, 'media'>;

/**
 * The running downloads of one process, distributed round-robin between workspaces: slow servers delay only
 * their own workspace.
 */
export function fetchPool(
  ports: FetchPorts,
  stop: AbortSignal,
  {
    onError,
    onStart,
  }: {
    readonly onError: (error: unknown) => void;
    /** How long a download was due before it began. */
    readonly onStart?: (waitedSeconds: number) => void;
  },
) {
  const work = new Map<MediaId, { readonly workspaceId: WorkspaceId; readonly running: Promise<void> }>();
  let draining = false;
  let isRefillRequested = false;
  let refill: Promise<void> | null = null;

  function remainingCapacity() {
    const inProgress = new Map<WorkspaceId, number>();
    for (const { workspaceId } of work.values())
      inProgress.set(workspaceId, (inProgress.get(workspaceId) ?? 0) + 1);
    return { limit: draining ? 0 : CONCURRENCY_MAX - work.size, perWorkspace: PER_WORKSPACE, inProgress };
  }

  async function claimDue(): Promise<void> {
    for (let left = remainingCapacity(); left.limit > 0; left = remainingCapacity()) {
      const due = await ports.media.listToFetch(left);
      // A started download is listed as due until its claim is committed.
      const started = due.filter(({ id }) => !work.has(id));
      for (const { id, workspaceId, dueAt } of started) {
        onStart?.(Math.max(0, (ports.clock.now().getTime() - dueAt.getTime()) / 1000));
        work.set(id, { workspaceId, running: run(id, workspaceId) });
      }
      if (started.length === 0) return;
    }
  }

  async function run(mediaId: MediaId, workspaceId: WorkspaceId): Promise<void> {
    await fetchMedia(ports, { workspaceId, mediaId }, stop).catch(onError);
    work.delete(mediaId);
    void fill().catch(onError);
  }

  async function fillAll(): Promise<void> {
    while (isRefillRequested && !draining) {
      isRefillRequested = false;
      await claimDue();
    }
  }

  function fill(): Promise<void> {
    isRefillRequested = true;
    return (refill ??= fillAll().finally(() => (refill = null)));
  }

  return {
    /**
     * Starts due downloads until none is left or the pool is full. A finished download makes room for the next.
     */
    fill,
    /** Starts no more downloads. Resolves when the running ones have finished. */
    async drain() {
      draining = true;
      await refill?.catch(() => undefined);
      await Promise.all([...work.values()].map(({ running }) => running));
    },
  };
}

export type FetchPool = ReturnType<typeof fetchPool>;
