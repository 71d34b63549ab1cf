import { failure, type Failure } from './failure.js';
import { refuseWith, type Refusal } from './result.js';

/**
 * Returns the adapter's result. If the adapter throws, which none should, returns a failure instead, so that
 * one store's unexpected response does not affect the others. The registry that provides the adapters logs
 * what they throw.
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
  failure(
    'platform.invalid_response',
    'The platform’s response could not be processed. See the service log for the cause.',
    {
      whoCanFix: 'operator',
    },
  );
