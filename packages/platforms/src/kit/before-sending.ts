import { refuse, type FailureCode, type Refused } from '@switchboard/domain';
import type { Dialect } from './answers.js';

/**
 * What a refusal means while nothing was sent that moves money or publishes: nothing can have happened yet, so that an answer
 * which nobody can read leaves no doubt. `about` ends "… did not say".
 */
export const beforeSending = <Code extends FailureCode>(
  { name }: Pick<Dialect, 'name'>,
  refused: Refused<Code>,
  about = 'what the order looks like. Nothing was refunded.',
): Refused<Code | 'platform.unavailable'> =>
  refused.failure.code === 'platform.invalid_response'
    ? refuse('platform.unavailable', `${name} did not say ${about}`)
    : refused;
