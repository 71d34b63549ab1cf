import { refuse, type Refusal } from '@switchboard/domain';
import type { PlatformFailureCode } from '@switchboard/domain/ports';
import type { ErrorMapping } from './platform-client.js';

/**
 * Error mapping after the effect: a read that failed after the platform has received all of a post: the post
 * may still be published, and a refused read is not a refusal of the post. It is then looked up with `find`,
 * and is neither sent again nor reported as missed or canceled.
 */
export const mapFailureAfterSend = (
  { name }: Pick<ErrorMapping, 'name'>,
  { failure: { platform, retryAfterSeconds } }: Refusal<PlatformFailureCode>,
  message = `${name} accepted the request but has not confirmed the outcome.`,
): Refusal<'platform.outcome_unknown'> =>
  refuse('platform.outcome_unknown', message, { platform, retryAfterSeconds });
