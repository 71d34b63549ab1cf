import { failure, type Failure } from './failure.js';
import { refuseWith, type Refusal } from './result.js';

/**
 * What an adapter answers, or, where it throws, which none should, that its store's answer could not be dealt with: one store's
 * oddity is nobody else's trouble. Who hands adapters out tells the log of what they throw.
 */
export async function catchAdapterErrors<Outcome>(
  call: () => Promise<Outcome>,
): Promise<Outcome | Refusal<'platform.invalid_response'>> {
  try {
    return await call();
  } catch {
    return refuseWith(adapterError());
  }
}

const adapterError = (): Failure<'platform.invalid_response'> =>
  failure('platform.invalid_response', 'What the store answered could not be dealt with. Our log says why.', {
    whoCanFix: 'operator',
  });
