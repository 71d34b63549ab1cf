import type { KeyId } from '@switchboard/domain';
import type { Clock } from '@switchboard/domain/ports';
import type { CallObserver } from '@switchboard/operations';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';

/** Reports every call to log and metrics, and collects used keys until they are written in a batch. */
export function createCallObserver(
  log: Logger,
  metrics: Metrics,
  clock: Clock,
): CallObserver & { takeUses(): KeyUse[] } {
  const uses = new Map<KeyId, Date>();
  return {
    onCall({ operation, surface, requestId, workspaceId, keyId, outcome, durationMs }) {
      metrics.calls.inc({ operation, surface, outcome });
      metrics.seconds.observe({ operation, surface }, durationMs / 1000);
      log.info(
        {
          request_id: requestId,
          workspace: workspaceId,
          key: keyId,
          operation,
          surface,
          outcome,
          duration_ms: durationMs,
        },
        'call',
      );
    },
    onError: (error, requestId) => log.error({ err: error, request_id: requestId }, 'unexpected error'),
    onKeyUsed: ({ id }) => void uses.set(id, clock.now()),
    takeUses() {
      const pendingUses = [...uses].map(([id, at]) => ({ id, at }));
      uses.clear();
      return pendingUses;
    },
  };
}

interface KeyUse {
  readonly id: KeyId;
  readonly at: Date;
}
