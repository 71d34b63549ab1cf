import type { Progress } from '@switchboard/domain';
import type { CallContext } from './mcp-handlers.js';

interface ProgressNotification {
  readonly method: 'notifications/progress';
  readonly params: {
    readonly progressToken: string | number;
    readonly progress: number;
    readonly message: string;
    readonly total?: number;
  };
}

/** Reports the progress of one request; each notification must increase it, and others are dropped. */
export interface ProgressReporter {
  readonly report: NonNullable<CallContext['onProgress']>;
  /** Resolves when the notifications are sent, so that none follows the response. */
  pendingNotifications(): Promise<void>;
}

/** Null for a client that does not request progress. */
export function createProgressReporter(
  progressToken: string | number | undefined,
  notify: (notification: ProgressNotification) => Promise<void>,
): ProgressReporter | null {
  if (progressToken === undefined) return null;
  let last = -1;
  let pendingNotifications = Promise.resolve();
  return {
    report: ({ done, total, message }: Progress) => {
      if (done <= last) return;
      last = done;
      const params = { progressToken, progress: done, message, ...(total !== null && { total }) };
      const sent = notify({ method: 'notifications/progress', params });
      pendingNotifications = Promise.all([pendingNotifications, sent]).then(
        () => undefined,
        () => undefined,
      );
    },
    pendingNotifications: () => pendingNotifications,
  };
}
