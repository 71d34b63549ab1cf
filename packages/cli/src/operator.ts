import { runAsOperator, operatorCall as callOf } from '@switchboard/bootstrap';
import type { Call, FailureCode, Result, WorkspaceId } from '@switchboard/domain';
import type { AtomicPorts } from '@switchboard/domain/ports';
import type { CommandContext } from './with-service.js';

/** The call object that a command passes to use cases. */
export const operatorCall = ({ service, signal }: CommandContext, workspaceId: WorkspaceId): Call =>
  callOf(service.ports, workspaceId, signal);

/** For calls that belong to no workspace: the facts of platforms. */
export const installationCall = (context: CommandContext): Call =>
  operatorCall(context, 'wsp_' as WorkspaceId);

/** Runs a use case in one transaction with its audit row. `action` is the operation's name. */
export const runAtomically = <Value, Code extends FailureCode>(
  { service: { ports } }: CommandContext,
  call: Call,
  action: string,
  useCase: (ports: AtomicPorts) => Promise<Result<Value, Code>>,
  objectOf: (value: Value) => string,
): Promise<Result<Value, Code>> => runAsOperator(ports, call, action, useCase, objectOf);
