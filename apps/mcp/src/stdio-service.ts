import { ConfigurationError, startService, type Service } from '@switchboard/bootstrap';
import { identify } from '@switchboard/domain';
import type { Answers } from './answers.js';
import type { Caller } from './bind.js';
import { WRONG_KEY } from './read-key.js';
import { serviceAnswers } from './service-answers.js';

/** Opens the service behind stdio and what it answers one caller; throws a `ConfigurationError` for a key that is none. */
export async function openStdioService(
  caller: Caller,
): Promise<{ readonly service: Service; readonly answers: Answers }> {
  const service = await startService({ app: 'mcp-stdio', logTo: 'stderr' });
  const { result } = await identify(service.ports, caller);
  if (!result.ok) {
    await service.close();
    throw new ConfigurationError(WRONG_KEY);
  }
  return { service, answers: serviceAnswers(service, caller) };
}
