import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { failure, type Call, type Failure } from '@switchboard/domain';
import { importConnections as importRows, type ImportConnections } from '@switchboard/domain/connections';
import { parseInput } from '@switchboard/operations';
import type { Command } from 'commander';
import { commandOutput, usageError, type CommandResult } from '../command-result.js';
import { findProfile } from '../find-profile.js';
import { withWorkspace } from '../find-workspace.js';
import { findOperation, presentResult } from '../present-result.js';
import { progress } from '../progress.js';
import { table } from '../table.js';
import { toAction } from '../to-action.js';
import type { CommandContext } from '../with-service.js';

interface ImportOptions {
  readonly dryRun?: boolean;
  readonly profile?: string;
  readonly workspace?: string;
}

/** How many rows one call takes. */
const BATCH_MAX = 100;

export const importConnections = (group: Command) =>
  group
    .command('connections')
    .description('import the connections of another system, a JSON object on each line')
    .argument('<file>', 'path, or - for the standard input')
    .option('--dry-run', 'verify the tokens at the platforms, and store nothing')
    .option('--profile <name>', 'of rows without profile_id: id, name or external id; default: the only one')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction((file: string, { dryRun = false, profile: profileRef, workspace }: ImportOptions) =>
        withWorkspace(workspace, async (context, { id }, call) => {
          const profile = profileRef === undefined ? null : await findProfile(context, id, profileRef);
          if (profile && !profile.ok) return profile;
          const lines = await readLines(file);
          return lines
            ? importLines(context, call, readRows(lines, profile?.value.id), dryRun)
            : usageError('The file cannot be read.');
        }),
      ),
    );

type ImportedRow = ImportConnections['connections'][number];

/** A line of the file: the row that it contains, or why it contains none. */
interface ImportLine {
  readonly line: number;
  readonly row: ImportedRow | Failure;
}

interface RowResult {
  readonly line: number;
  readonly status: string;
  readonly connection_id?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

async function importLines(
  context: CommandContext,
  call: Call,
  lines: readonly ImportLine[],
  dryRun: boolean,
): Promise<CommandResult> {
  const { ports } = context.service;
  const results: RowResult[] = [];
  const bar = progress(dryRun ? 'Verified' : 'Imported');
  for (let start = 0; start < lines.length; start += BATCH_MAX) {
    bar.show(start, lines.length);
    const batch = lines.slice(start, start + BATCH_MAX);
    const connections = batch.flatMap(({ row }) => ('code' in row ? [] : [row]));
    const imported = await importRows(ports, call, { connections, dryRun });
    if (!imported.ok) return imported;
    const outcomes = imported.value.values();
    const all = batch.map(({ row }) =>
      'code' in row ? { status: 'failed' as const, failure: row } : outcomes.next().value,
    );
    const { json } = presentResult(context, call, 'importConnections', all);
    const presented = json['results'] as readonly (Omit<RowResult, 'line'> & { readonly index: number })[];
    results.push(...presented.map(({ index, ...result }) => ({ line: batch[index]?.line ?? 0, ...result })));
  }
  bar.show(lines.length, lines.length);
  bar.end();
  const count = (wanted: string) => results.filter(({ status }) => status === wanted).length;
  const [imported, updated, failed] = [count('imported'), count('updated'), count('failed')];
  const rows = results.map(({ line, status, connection_id, error }) => [
    String(line),
    status,
    connection_id ?? null,
    error?.message ?? null,
  ]);
  const summary = `${imported} ${dryRun ? 'can be imported' : 'imported'}, ${updated} already connected, ${failed} failed.`;
  return commandOutput(
    { results, imported, updated, failed },
    `${table(['line', 'status', 'connection', 'problem'], rows, 'The file has no rows.')}\n${summary}`,
    failed > 0,
  );
}

/** Null when the file cannot be read. Blank lines are skipped. */
async function readLines(
  file: string,
): Promise<readonly { readonly line: number; readonly text: string }[] | null> {
  const input = file === '-' ? process.stdin : createReadStream(file, 'utf8');
  const lines = createInterface({ input, crlfDelay: Infinity });
  const read: { readonly line: number; readonly text: string }[] = [];
  let line = 0;
  try {
    const failed = new Promise<never>((_, reject) => input.once('error', reject));
    const next = lines[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await Promise.race([next.next(), failed]);
      if (done) return read;
      const text = value.replace(/^\uFEFF/, '').trim();
      line += 1;
      if (text !== '') read.push({ line, text });
    }
  } catch {
    return null;
  }
}

function readRows(
  lines: readonly { readonly line: number; readonly text: string }[],
  profileId: string | undefined,
): readonly ImportLine[] {
  return lines.map(({ line, text }) => ({ line, row: readRow(text, profileId) }));
}

/**
 * One row, checked as REST checks it, so that a malformed one does not affect the others of its batch. The
 * text of a line never appears in a message.
 */
function readRow(text: string, profileId: string | undefined): ImportedRow | Failure {
  const fields = parseObject(text);
  if (!fields) return failure('connection.import_invalid', 'The line is not a JSON object.');
  const row = { ...(profileId !== undefined && { profile_id: profileId }), ...fields };
  const parsed = parseInput(findOperation('importConnections'), 'rest', { connections: [row] });
  if (parsed.ok) {
    const [only] = (parsed.value.command as unknown as ImportConnections).connections;
    if (only) return only;
  }
  const message = parsed.ok ? 'The line has no row.' : parsed.failure.message;
  return failure('connection.import_invalid', message.replaceAll('connections.0.', ''));
}

/** Without the fields that are null: exports write null for what they do not know. */
function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
      : null;
  } catch {
    return null;
  }
}
