import type { Job, Transactions } from '@switchboard/domain/ports';

/** What a worker looks for: jobs of a kind, and events to deliver to webhooks. */
type WorkKind = Job['name'] | 'send_events';

const workKinds: readonly WorkKind[] = [
  'deliver',
  'fetch_media',
  'settle_refund',
  'revoke_grant',
  'read_order',
  'send_events',
];

/** The channel on which processes without a worker announce work to those with one. */
export const WORK_CHANNEL = 'switchboard_work';

/** At most one notification in this time: each wakes every listening session of the database. */
const NOTIFY_MS = 500;
/** The same for the worker of this process, which then claims: a busy process would otherwise claim all the time. */
const LOCAL_MS = 250;

interface WorkSignalsOptions {
  readonly notices: { on(channel: string, handler: (payload: string | null) => void): void };
  readonly notify: (payload: string) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/**
 * Signals that there is work, so that workers need not look for it often. A lost signal delays work until the
 * next sweep. Not sent by the transaction itself: PostgreSQL commits notifying transactions one after another.
 */
export function workSignals({ notices, notify, onError }: WorkSignalsOptions) {
  let handler: ((kind: WorkKind) => void) | null = null;
  let unsent = new Set<WorkKind>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<unknown> = Promise.resolve();

  function send(): void {
    timer = undefined;
    if (unsent.size === 0) return;
    const kinds = unsent;
    unsent = new Set();
    if (handler) kinds.forEach(handler);
    else sending = notify([...kinds].join(' ')).catch(onError);
    timer = setTimeout(send, handler ? LOCAL_MS : NOTIFY_MS).unref();
  }

  return {
    /** Committed work. The worker of this process learns of it now, those of other processes soon. */
    announce(kinds: ReadonlySet<WorkKind>) {
      for (const kind of kinds) unsent.add(kind);
      if (timer === undefined) send();
    },
    /** The worker of this process. Without one, announcements go to other processes. */
    onWork(next: (kind: WorkKind) => void) {
      handler = next;
      notices.on(WORK_CHANNEL, (payload) => {
        const announced = payload?.split(' ');
        for (const kind of workKinds) if (announced?.includes(kind) ?? true) next(kind);
      });
    },
    async close() {
      clearTimeout(timer);
      send();
      clearTimeout(timer);
      await sending;
    },
  };
}

export type WorkSignals = ReturnType<typeof workSignals>;

/** Announces the jobs and events of a transaction when it has committed. */
export const announceWork = (
  transactions: Transactions,
  { announce }: Pick<WorkSignals, 'announce'>,
): Transactions => ({
  async run(work, patience) {
    const kinds = new Set<WorkKind>();
    const result = await transactions.run(async (tx) => {
      kinds.clear();
      return work({
        ...tx,
        jobs: {
          async enqueue(job, when) {
            if (!when?.startAfter) kinds.add(job.name);
            await tx.jobs.enqueue(job, when);
          },
        },
        events: {
          ...tx.events,
          async append(event) {
            kinds.add('send_events');
            await tx.events.append(event);
          },
        },
      });
    }, patience);
    if (result.ok && kinds.size > 0) announce(kinds);
    return result;
  },
});
