import { failure, type Failure } from '../failure.js';
import type { Refund } from './refund.js';

/**
 * The reason why a refund requires manual review according to its adapter. It stays until a person resolves
 * it, or the store lists it after all.
 */
export const findUnclearFailure = ({ error }: Pick<Refund, 'error'>): Failure | null =>
  error?.code === 'refund.unclear' ? { ...error, ...failure('refund.unclear', error.message) } : null;
