import { refuse, type FailureCode, type Refusal } from '@switchboard/domain';
import type { ErrorMapping } from './platform-client.js';

/**
 * Error mapping before the effect: a failure that occurs before the request that moves money or publishes:
 * nothing can have happened yet, so an invalid response does not leave the outcome unknown. `missingFact`
 * completes the sentence "… did not report".
 */
export const mapFailureBeforeSend = <Code extends FailureCode>(
  { name }: Pick<ErrorMapping, 'name'>,
  refused: Refusal<Code>,
  missingFact = 'the state of the order. Nothing was refunded.',
): Refusal<Code | 'platform.unavailable'> =>
  refused.failure.code === 'platform.invalid_response'
    ? refuse('platform.unavailable', `${name} did not report ${missingFact}`)
    : refused;
