import { ok, type WorkspaceId } from '@switchboard/domain';
import { verifyChain, type ChainBreakKind, type ChainReport } from '@switchboard/domain/audit';
import { InvalidArgumentError, type Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
import { commandOutput } from '../command-result.js';
import { progress } from '../progress.js';
import { withService, type CommandContext } from '../with-service.js';

interface ExpectedHead {
  readonly workspaceId: WorkspaceId;
  readonly seq: number;
  readonly rowHash: string;
}

interface Options {
  readonly workspace?: string;
  readonly expect?: readonly ExpectedHead[];
}

export const auditVerify = (audit: Command) =>
  audit
    .command('verify')
    .description('verify that no audit row was changed, removed or inserted since it was sealed')
    .option('--workspace <id or name>', 'only this workspace')
    .option(
      '--expect <workspace:seq:hash>',
      'a checkpoint printed by an earlier run and stored elsewhere; repeatable',
      readExpectedHead,
    )
    .action(toAction((options: Options) => withService((context) => verify(context, options))));

function readExpectedHead(text: string, before: readonly ExpectedHead[] = []): readonly ExpectedHead[] {
  const [, workspaceId, seq, rowHash] = /^(wsp_[0-9a-z]{26}):([0-9]{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (workspaceId === undefined || seq === undefined || rowHash === undefined)
    throw new InvalidArgumentError(
      'Expected a checkpoint as printed by `audit verify`: wsp_…:<number>:<hash>.',
    );
  return [...before, { workspaceId: workspaceId as WorkspaceId, seq: Number(seq), rowHash }];
}

async function verify(context: CommandContext, { workspace, expect = [] }: Options) {
  const { ports } = context.service;
  const only = workspace === undefined ? ok(null) : await findWorkspace(context, workspace);
  if (!only.ok) return only;
  const known = await ports.auditTrail.listChains();
  const chains = [...new Set([...known, ...expect.map(({ workspaceId }) => workspaceId)])].filter(
    (id) => only.value === null || only.value.id === id,
  );
  const heads = await Promise.all(chains.map((id) => ports.auditTrail.findHead(id)));
  const total = heads.reduce((sum, { seq }) => sum + seq, 0);
  const progressBar = progress('Audit rows');
  const reports: ChainReport[] = [];
  let done = 0;
  try {
    for (const id of chains) {
      const expectedHeads = expect.filter(({ workspaceId }) => workspaceId === id);
      const show = (checked: number) => progressBar.show(Math.min(done + checked, total), total);
      show(0);
      const report = await verifyChain(ports, id, expectedHeads, show, context.signal);
      done += report.checked;
      reports.push(report);
    }
  } catch (error) {
    if (!context.signal.aborted) throw error;
    return commandOutput({ ok: false, interrupted: true }, 'Interrupted: not verified.', true);
  } finally {
    progressBar.end();
  }
  const isBroken = reports.some(({ broken }) => broken !== null);
  return commandOutput(
    { ok: !isBroken, chains: reports.map(present) },
    reports.length === 0 ? 'No audit rows.' : reports.map(formatReport).join('\n'),
    isBroken,
  );
}

const formatHead = ({ workspaceId, head }: ChainReport) =>
  head && head.seq > 0 ? `${workspaceId}:${head.seq}:${head.rowHash}` : null;

const present = (report: ChainReport) => ({
  workspace_id: report.workspaceId,
  checked: report.checked,
  unsealed: report.unsealed,
  broken: report.broken && { ...report.broken, message: breakDescriptions[report.broken.kind] },
  expect: formatHead(report),
});

function formatReport(report: ChainReport): string {
  const { workspaceId, checked, unsealed, broken } = report;
  const open = unsealed > 0 ? ` ${unsealed} not sealed yet.` : '';
  if (broken) {
    const row = broken.id ? `, ${broken.id}` : '';
    return `BROKEN ${workspaceId}: row ${broken.seq}${row}: ${broken.kind}: ${breakDescriptions[broken.kind]} ${checked} preceding rows are valid.${open}`;
  }
  const note = formatHead(report);
  return `ok ${workspaceId}: ${checked} rows valid.${open}${note ? ` Store this checkpoint elsewhere: --expect ${note}` : ''}`;
}

const breakDescriptions: Readonly<Record<ChainBreakKind, string>> = {
  changed: 'the content differs from what was sealed.',
  missing: 'the row is missing.',
  inserted: 'the row was not sealed by the service.',
  reordered: 'the row belongs to another position of this chain.',
  foreign: 'the row belongs to another workspace.',
  head_lost: 'the head of the chain is missing.',
  rewritten: 'the chain is consistent but does not match the checkpoint.',
};
