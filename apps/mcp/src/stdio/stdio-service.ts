import { ConfigurationError, startService, type Service } from '@switchboard/bootstrap';
import { ok, type Result } from '@switchboard/domain';
import { identify, checkRateLimit } from '@switchboard/domain/access';
import type { McpHandlers } from '../protocol/mcp-handlers.js';
import type { Caller } from '../tools/call-tool.js';
import { invalidKeyMessage } from '../protocol/read-key.js';
import type { AdmitMessage, ServiceOptions } from './open-stdio-backend.js';
import { countMessages } from '../protocol/message-quota.js';
import { createServiceHandlers } from '../protocol/create-service-handlers.js';

/** Counts one message; the handler of the message rejects a key that is no longer valid. */
async function admit({ ports }: Service, caller: Caller, message: object): Promise<Result<undefined>> {
  const { result } = await identify(ports, caller);
  if (!result.ok) return ok();
  const { allowance, isRefused } = await countMessages(ports, result.value, caller.countedAllowances ?? [], [
    message,
  ]);
  return allowance && isRefused ? checkRateLimit({ scope: 'any', effect: 'read' }, allowance) : ok();
}

/**
 * Opens the service behind stdio and the handlers for one caller; throws a `ConfigurationError` for an
 * invalid key.
 */
export async function openStdioService(
  caller: Caller,
  options: ServiceOptions,
): Promise<{ readonly service: Service; readonly handlers: McpHandlers; readonly admit: AdmitMessage }> {
  const service = await startService({ app: 'mcp-stdio', ...options });
  const { result } = await identify(service.ports, caller);
  if (!result.ok) {
    await service.close();
    throw new ConfigurationError(invalidKeyMessage(service.config));
  }
  return {
    service,
    handlers: createServiceHandlers(service, caller),
    admit: (message) => admit(service, caller, message),
  };
}
