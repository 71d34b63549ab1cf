import { version } from '@switchboard/bootstrap';
import { Command } from 'commander';
import { auditVerify } from './commands/audit-verify.js';
import { connect } from './commands/connect.js';
import { doctor } from './commands/doctor.js';
import { keysCreate } from './commands/keys-create.js';
import { keysList } from './commands/keys-list.js';
import { keysRevoke } from './commands/keys-revoke.js';
import { keysRotate } from './commands/keys-rotate.js';
import { keysUpdate } from './commands/keys-update.js';
import { mcpConfig } from './commands/mcp-config.js';
import { migrate } from './commands/migrate.js';
import { platformsConfigure } from './commands/platforms-configure.js';
import { platformsList } from './commands/platforms-list.js';
import { platformsSetup } from './commands/platforms-setup.js';
import { platformsTry } from './commands/platforms-try.js';
import { profilesCreate } from './commands/profiles-create.js';
import { profilesList } from './commands/profiles-list.js';
import { start } from './commands/start.js';
import { status } from './commands/status.js';
import { stop } from './commands/stop.js';
import { vaultGenerateKey } from './commands/vault-generate-key.js';
import { vaultRotate } from './commands/vault-rotate.js';
import { vaultStatus } from './commands/vault-status.js';
import { worker } from './commands/worker.js';
import { workspacesCreate } from './commands/workspaces-create.js';
import { workspacesDelete } from './commands/workspaces-delete.js';
import { workspacesList } from './commands/workspaces-list.js';
import { workspacesUpdate } from './commands/workspaces-update.js';

/** The groups `<command> <verb>`, and the commands that register themselves on each. */
const groups = [
  [
    'workspaces',
    'the tenants of this installation',
    [workspacesCreate, workspacesList, workspacesUpdate, workspacesDelete],
  ],
  ['profiles', 'the brands or customers of a workspace', [profilesCreate, profilesList]],
  ['keys', 'the API keys of a workspace', [keysCreate, keysList, keysUpdate, keysRotate, keysRevoke]],
  ['platforms', 'the supported platforms', [platformsList, platformsSetup, platformsConfigure, platformsTry]],
  ['mcp', 'configuration of MCP clients', [mcpConfig]],
  ['audit', 'the audit log', [auditVerify]],
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
  for (const add of [start, stop, status, worker, migrate, connect, doctor]) add(root);
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
