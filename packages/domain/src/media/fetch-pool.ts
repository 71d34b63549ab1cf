import type { MediaId, WorkspaceId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import { fetchMedia } from './fetch-media.js';

/** So many downloads run at once in a process, and so many of them for one workspace: a server may take its time over each. */
const IN_HAND_MAX = 24;
const PER_WORKSPACE = 4;

export interface FetchPool {
  /** Takes up what is due until nothing is left or there is no more room. A download that ends makes room for the next. */
  fill(): Promise<void>;
  /** Takes up nothing more. Resolves when what is in hand has come to its end. */
  drain(): Promise<void>;
}

type FetchPorts = Parameters<typeof fetchMedia>[0] & Pick<Ports, 'media'>;

/** The downloads that one process has in hand, shared round-robin between workspaces: whose servers are slow delays only their own. */
export function fetchPool(
  ports: FetchPorts,
  stop: AbortSignal,
  {
    onError,
    onBegin,
  }: {
    readonly onError: (error: unknown) => void;
    /** How long a download was due before it began. */
    readonly onBegin?: (waitedSeconds: number) => void;
  },
): FetchPool {
  const work = new Map<MediaId, { readonly workspaceId: WorkspaceId; readonly running: Promise<void> }>();
  let draining = false;
  let again = false;
  let filling: Promise<void> | null = null;

  function room() {
    const inHand = new Map<WorkspaceId, number>();
    for (const { workspaceId } of work.values()) inHand.set(workspaceId, (inHand.get(workspaceId) ?? 0) + 1);
    return { limit: draining ? 0 : IN_HAND_MAX - work.size, perWorkspace: PER_WORKSPACE, inHand };
  }

  async function take(): Promise<void> {
    for (let left = room(); left.limit > 0; left = room()) {
      const due = await ports.media.listToFetch(left);
      // What has been taken up is listed until its claim has been committed.
      const begun = due.filter(({ id }) => !work.has(id));
      for (const { id, workspaceId, dueAt } of begun) {
        onBegin?.(Math.max(0, (ports.clock.now().getTime() - dueAt.getTime()) / 1000));
        work.set(id, { workspaceId, running: run(id, workspaceId) });
      }
      if (begun.length === 0) return;
    }
  }

  async function run(mediaId: MediaId, workspaceId: WorkspaceId): Promise<void> {
    await fetchMedia(ports, { workspaceId, mediaId }, stop).catch(onError);
    work.delete(mediaId);
    void fill().catch(onError);
  }

  async function fillAll(): Promise<void> {
    while (again && !draining) {
      again = false;
      await take();
    }
  }

  function fill(): Promise<void> {
    again = true;
    return (filling ??= fillAll().finally(() => (filling = null)));
  }

  return {
    fill,
    async drain() {
      draining = true;
      await filling?.catch(() => undefined);
      await Promise.all([...work.values()].map(({ running }) => running));
    },
  };
}
