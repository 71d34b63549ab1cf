import { refuse, type PlatformFailureCode, type Result } from '@switchboard/domain';
import type { ErrorMapping } from './platform-client.js';

/**
 * Of what a platform has taken nobody can promise that it stays in: whatever keeps us from knowing is a doubt then, which is
 * looked up with `find` and neither sent again, nor missed, nor called off. Only the platform's own refusal of it is certain.
 */
export const mapFailureAfterSend = <Value>(
  { name }: Pick<ErrorMapping, 'name'>,
  result: Result<Value, PlatformFailureCode>,
): Result<Value, PlatformFailureCode> =>
  result.ok || result.failure.code === 'platform.refused'
    ? result
    : refuse('platform.outcome_unknown', `${name} has taken this and has not said yet what became of it.`, {
        ...(result.failure.platform && { platform: result.failure.platform }),
      });
