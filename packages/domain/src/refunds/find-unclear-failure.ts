import { failure, type Failure } from '../failure.js';
import type { Refund } from './refund.js';

/**
 * Of a refund of which its adapter said that only a person can tell: why. It stays so until a person says what became of it, or
 * the store shows it after all.
 */
export const findUnclearFailure = ({ error }: Pick<Refund, 'error'>): Failure | null =>
  error?.code === 'refund.unclear' ? { ...error, ...failure('refund.unclear', error.message) } : null;
