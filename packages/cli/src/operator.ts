import {
  actorName,
  type AtomicPorts,
  type Call,
  type FailureCode,
  type Result,
  type WorkspaceId,
} from '@switchboard/domain';
import type { Desk } from './with-service.js';

/** The call in whose name a command acts. */
export const operatorCall = ({ service, signal }: Desk, workspaceId: WorkspaceId): Call => ({
  requestId: service.ports.ids.next('req'),
  surface: 'cli',
  workspaceId,
  actor: { kind: 'system', name: 'operator' },
  signal,
  waitSeconds: 0,
});

/** For what belongs to no workspace: the facts of platforms. */
export const anywhereCall = (desk: Desk): Call => operatorCall(desk, 'wsp_' as WorkspaceId);

/** Runs a use case in one transaction with its audit row, as dispatch does for a key. `action` is the operation's name. */
export function atomically<Value, Code extends FailureCode>(
  { service: { ports } }: Desk,
  call: Call,
  action: string,
  useCase: (ports: AtomicPorts) => Promise<Result<Value, Code>>,
  objectOf: (value: Value) => string,
): Promise<Result<Value, Code>> {
  return ports.transactions.run(async (tx) => {
    const result = await useCase({ ...ports, ...tx });
    if (result.ok) {
      await tx.audit.append({
        workspaceId: call.workspaceId,
        actor: actorName(call),
        action,
        object: objectOf(result.value),
        outcome: 'ok',
        requestId: call.requestId,
        details: { surface: call.surface },
      });
    }
    return result;
  });
}
