import type { Call, FailureCode, Result } from '@switchboard/domain';
import {
  approvalStatuses,
  approveApproval,
  listApprovals,
  rejectApproval,
  type Approval,
  type ApprovalStatus,
} from '@switchboard/domain/approvals';
import type { AtomicPorts } from '@switchboard/domain/ports';
import { Option, type Command } from 'commander';
import { commandOutput, type CommandResult } from '../command-result.js';
import { withWorkspace } from '../find-workspace.js';
import { findInputProblem, presentResult } from '../present-result.js';
import { table } from '../table.js';
import { toAction } from '../to-action.js';
import type { CommandContext } from '../with-service.js';

const LISTED_MAX = 100;

interface ListOptions {
  readonly workspace?: string;
  readonly status: ApprovalStatus | 'all';
}

export const approvalsList = (approvals: Command) =>
  approvals
    .command('list')
    .description(`list the requests that wait for a person, newest first, at most ${LISTED_MAX}`)
    .addOption(
      new Option('--status <status>', 'which requests')
        .choices([...approvalStatuses, 'all'])
        .default('pending'),
    )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(toAction(list));

const list = ({ workspace: workspaceRef, status }: ListOptions): Promise<CommandResult> =>
  withWorkspace(workspaceRef, async (context, _workspace, call) => {
    const filter = { limit: LISTED_MAX, ...(status !== 'all' && { status: [status] }) };
    const listed = await listApprovals(context.service.ports, call, filter);
    if (!listed.ok) return listed;
    const { json } = presentResult(context, call, 'listApprovals', listed.value);
    const rows = listed.value.items.map(({ id, status: state, expiresAt, summary }) => [
      id,
      state,
      expiresAt.toISOString(),
      summary,
    ]);
    return commandOutput(json, table(['id', 'status', 'until', 'what'], rows, 'Nothing waits for a person.'));
  });

interface DecisionOptions {
  readonly workspace?: string;
  readonly note?: string;
}

export const approvalsApprove = (approvals: Command) =>
  approvals
    .command('approve')
    .description('approve a request: the post is published, or the refund is sent')
    .argument('<id>')
    .option('--note <text>', 'for the requester')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction(async (id: string, { note, workspace }: DecisionOptions) =>
        decide('approveApproval', workspace, { id, note }, (ports, call) =>
          approveApproval(ports, call, { id, note }),
        ),
      ),
    );

export const approvalsReject = (approvals: Command) =>
  approvals
    .command('reject')
    .description('reject a request: the post or the refund fails, and its money is free again')
    .argument('<id>')
    .requiredOption('--note <text>', 'the reason, for the requester')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction(async (id: string, { note = '', workspace }: DecisionOptions) =>
        decide('rejectApproval', workspace, { id, note }, (ports, call) =>
          rejectApproval(ports, call, { id, note }),
        ),
      ),
    );

/** The decision writes its own audit row. */
async function decide<Code extends FailureCode>(
  operation: 'approveApproval' | 'rejectApproval',
  workspaceRef: string | undefined,
  input: Readonly<Record<string, unknown>>,
  useCase: (ports: AtomicPorts, call: Call) => Promise<Result<Approval, Code>>,
): Promise<CommandResult> {
  const problem = findInputProblem(operation, input);
  if (problem) return problem;
  return withWorkspace(workspaceRef, async (context: CommandContext, _workspace, call) => {
    const { ports } = context.service;
    const decided = await ports.transactions.run((tx) => useCase({ ...ports, ...tx }, call));
    if (!decided.ok) return decided;
    const { json, sentence } = presentResult(context, call, operation, decided.value);
    return commandOutput(json, `${sentence} ${decided.value.summary}`);
  });
}
