import { asOperator, operatorCall as callOf } from '@switchboard/bootstrap';
import type { AtomicPorts, Call, FailureCode, Result, WorkspaceId } from '@switchboard/domain';
import type { Desk } from './with-service.js';

/** The call in whose name a command acts. */
export const operatorCall = ({ service, signal }: Desk, workspaceId: WorkspaceId): Call =>
  callOf(service.ports, workspaceId, signal);

/** For what belongs to no workspace: the facts of platforms. */
export const anywhereCall = (desk: Desk): Call => operatorCall(desk, 'wsp_' as WorkspaceId);

/** Runs a use case in one transaction with its audit row. `action` is the operation's name. */
export const atomically = <Value, Code extends FailureCode>(
  { service: { ports } }: Desk,
  call: Call,
  action: string,
  useCase: (ports: AtomicPorts) => Promise<Result<Value, Code>>,
  objectOf: (value: Value) => string,
): Promise<Result<Value, Code>> => asOperator(ports, call, action, useCase, objectOf);
