import { refuse, type PlatformFailureCode, type Refusal, type Result } from '@switchboard/domain';
import type { ErrorMapping } from './platform-client.js';

/**
 * After the platform has accepted an item, it may still be published: every failure other than the platform's
 * own refusal of the item leaves the outcome unknown. The item is then looked up with `find`, and is neither
 * sent again nor reported as missed or canceled.
 */
export const mapFailureAfterSend = <Value>(
  { name }: Pick<ErrorMapping, 'name'>,
  result: Result<Value, PlatformFailureCode>,
): Result<Value, PlatformFailureCode> =>
  result.ok || result.failure.code === 'platform.refused'
    ? result
    : refuse('platform.outcome_unknown', `${name} accepted the request but has not confirmed the outcome.`, {
        ...(result.failure.platform && { platform: result.failure.platform }),
      });

/** The same for a read of its state: a refused read is no refusal of the item. */
export const mapReadFailureAfterSend = (
  mapping: Pick<ErrorMapping, 'name'>,
  { failure }: Refusal<PlatformFailureCode>,
) =>
  mapFailureAfterSend<never>(mapping, {
    ok: false,
    failure: { ...failure, code: 'platform.outcome_unknown' },
  });
