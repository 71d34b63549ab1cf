import { systemCall, type Call, type FailureCode, type Result, type WorkspaceId } from '@switchboard/domain';
import { createKey, type CreatedKey, type CreateKey, type KeyFailureCode } from '@switchboard/domain/access';
import { auditRow } from '@switchboard/domain/audit';
import type { AtomicPorts, Ports } from '@switchboard/domain/ports';

/** The call of an operator with access to the installation itself: no limits of a key apply. */
export const operatorCall = (
  { ids }: Pick<Ports, 'ids'>,
  workspaceId: WorkspaceId,
  signal: AbortSignal = new AbortController().signal,
): Call => systemCall('operator', 'cli', { workspaceId, requestId: ids.next('req'), signal });

/**
 * Runs a use case in one transaction with its audit row, as dispatch does for a key. `action` is the name of
 * the operation.
 */
export function runAsOperator<Value, Code extends FailureCode>(
  ports: Ports,
  call: Call,
  action: string,
  useCase: (ports: AtomicPorts) => Promise<Result<Value, Code>>,
  objectOf: (value: Value) => string | null,
): Promise<Result<Value, Code>> {
  return ports.transactions.run(async (tx) => {
    const result = await useCase({ ...ports, ...tx });
    if (result.ok) {
      await tx.audit.append(auditRow(call, action, objectOf(result.value), { surface: call.surface }));
    }
    return result;
  });
}

export const createKeyAsOperator = (
  ports: Ports,
  { workspaceId, ...command }: CreateKey & { readonly workspaceId: WorkspaceId },
): Promise<Result<CreatedKey, KeyFailureCode>> => {
  const call = operatorCall(ports, workspaceId);
  return runAsOperator(
    ports,
    call,
    'createKey',
    (all) => createKey(all, call, command),
    ({ key }) => key.id,
  );
};
