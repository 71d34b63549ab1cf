import { version } from '@switchboard/bootstrap';
import { Command } from 'commander';
import { approvalsApprove, approvalsList, approvalsReject } from './commands/approvals.js';
import { auditVerify } from './commands/audit-verify.js';
import { backup } from './commands/backup.js';
import { keysClients, keysInvite } from './commands/clients.js';
import { connect } from './commands/connect.js';
import { databaseMove } from './commands/database-move.js';
import { doctor } from './commands/doctor.js';
import { eventsTail } from './commands/events-tail.js';
import { importConnections } from './commands/import-connections.js';
import { keysCreate, keysList, keysUpdate, keysRotate, keysRevoke } from './commands/keys.js';
import { mcpConfig } from './commands/mcp-config.js';
import { migrate } from './commands/migrate.js';
import { platformsList, platformsSetup, platformsConfigure } from './commands/platforms.js';
import { pause, resume } from './commands/pause.js';
import { platformsTry } from './commands/platforms-try.js';
import { profilesCreate, profilesList } from './commands/profiles.js';
import { restore } from './commands/restore.js';
import { queueSet, queueShow } from './commands/queue.js';
import { start } from './commands/start.js';
import { status } from './commands/status.js';
import { stop } from './commands/stop.js';
import { vaultStatus, vaultGenerateKey, vaultRotate } from './commands/vault.js';
import { worker } from './commands/worker.js';
import {
  workspacesCreate,
  workspacesList,
  workspacesUpdate,
  workspacesDelete,
} from './commands/workspaces.js';

/** The groups `<command> <verb>`, and the commands that register themselves on each. */
const groups = [
  [
    'workspaces',
    'the tenants of this installation',
    [workspacesCreate, workspacesList, workspacesUpdate, workspacesDelete],
  ],
  ['profiles', 'the brands or customers of a workspace', [profilesCreate, profilesList]],
  ['queue', 'the posting slots of a profile', [queueShow, queueSet]],
  [
    'keys',
    'the API keys of a workspace',
    [keysCreate, keysList, keysUpdate, keysRotate, keysRevoke, keysInvite, keysClients],
  ],
  ['platforms', 'the supported platforms', [platformsList, platformsSetup, platformsConfigure, platformsTry]],
  ['mcp', 'configuration of MCP clients', [mcpConfig]],
  ['import', 'what another system has', [importConnections]],
  ['approvals', 'the requests that wait for a person', [approvalsList, approvalsApprove, approvalsReject]],
  ['audit', 'the audit log', [auditVerify]],
  ['events', 'what happened in a workspace', [eventsTail]],
  ['database', 'where the rows are', [databaseMove]],
  ['vault', 'the master keys', [vaultStatus, vaultGenerateKey, vaultRotate]],
] as const;

/** The command line. Parsing runs the command; a usage error is thrown, see `run.ts`. */
export function program(): Command {
  const root = new Command('switchboard')
    .description('Operate this installation of Switchboard.')
    .version(version)
    .option('--json', 'print JSON')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(`switchboard: ${oneLine(text)}\n`) })
    .exitOverride();
  for (const add of [start, stop, status, worker, migrate, backup, restore, pause, resume, connect, doctor])
    add(root);
  for (const [name, description, commands] of groups) {
    const group = root.command(name).description(description);
    for (const add of commands) add(group);
  }
  return root;
}

const oneLine = (text: string) =>
  text
    .trim()
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ');
