import { refuse, type FailureCode, type Refusal } from '@switchboard/domain';
import type { ErrorMapping } from './platform-client.js';

/**
 * What a refusal means while nothing was sent that moves money or publishes: nothing can have happened yet, so that an answer
 * which nobody can read leaves no doubt. `about` ends "… did not say".
 */
export const mapFailureBeforeSend = <Code extends FailureCode>(
  { name }: Pick<ErrorMapping, 'name'>,
  refused: Refusal<Code>,
  missingFact = 'what the order looks like. Nothing was refunded.',
): Refusal<Code | 'platform.unavailable'> =>
  refused.failure.code === 'platform.invalid_response'
    ? refuse('platform.unavailable', `${name} did not say ${missingFact}`)
    : refused;
