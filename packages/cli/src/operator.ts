import { runAsOperator, operatorCall as callOf } from '@switchboard/bootstrap';
import type { Call, FailureCode, Result, WorkspaceId } from '@switchboard/domain';
import type { AtomicPorts } from '@switchboard/domain/ports';
import { auditedObjectOf } from './present-result.js';
import type { CommandContext } from './with-service.js';

/** The call object that a command passes to use cases. */
export const operatorCall = ({ service, signal }: CommandContext, workspaceId: WorkspaceId): Call =>
  callOf(service.ports, workspaceId, signal);

/** For calls that belong to no workspace: the facts of platforms. */
export const installationCall = (context: CommandContext): Call =>
  operatorCall(context, 'wsp_' as WorkspaceId);

/** Runs the use case of an operation in one transaction with its audit row, which names the object that REST names. */
export const runAtomically = <Value, Code extends FailureCode>(
  context: CommandContext,
  call: Call,
  operation: string,
  useCase: (ports: AtomicPorts) => Promise<Result<Value, Code>>,
): Promise<Result<Value, Code>> =>
  runAsOperator(context.service.ports, call, operation, useCase, (value) =>
    auditedObjectOf(context, call, operation, value),
  );
