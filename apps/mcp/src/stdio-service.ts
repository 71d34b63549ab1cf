import { ConfigurationError, startService, type Service } from '@switchboard/bootstrap';
import { identify, ok, withinLimit, type Result } from '@switchboard/domain';
import type { Answers } from './answers.js';
import type { Caller } from './bind.js';
import { wrongKey } from './read-key.js';
import type { Admit } from './stdio-behind.js';
import { countMessages } from './message-quota.js';
import { serviceAnswers } from './service-answers.js';

/** Counts one message; a key that is no good any more is refused by whatever answers the message. */
async function admit({ ports }: Service, caller: Caller, message: object): Promise<Result<undefined>> {
  const { result } = await identify(ports, caller);
  if (!result.ok) return ok();
  const { allowance, isRefused } = await countMessages(ports, result.value, caller.counted ?? [], [message]);
  return allowance && isRefused ? withinLimit({ scope: 'any', effect: 'read' }, allowance) : ok();
}

/** Opens the service behind stdio and what it answers one caller; throws a `ConfigurationError` for a key that is none. */
export async function openStdioService(
  caller: Caller,
): Promise<{ readonly service: Service; readonly answers: Answers; readonly admit: Admit }> {
  const service = await startService({ app: 'mcp-stdio', logTo: 'stderr' });
  const { result } = await identify(service.ports, caller);
  if (!result.ok) {
    await service.close();
    throw new ConfigurationError(wrongKey(service.config));
  }
  return {
    service,
    answers: serviceAnswers(service, caller),
    admit: (message) => admit(service, caller, message),
  };
}
