import {
  createWorkspace,
  renameWorkspace,
  updateWorkspace,
  deleteWorkspace,
  type Workspace,
} from '@switchboard/domain/workspaces';
import { presentWorkspace } from '@switchboard/operations';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { readName, readTimezone, collectValues } from '../options.js';
import { commandOutput, usageError } from '../command-result.js';
import { withService } from '../with-service.js';
import { table } from '../table.js';
import { ok } from '@switchboard/domain';
import { withWorkspace } from '../find-workspace.js';
import { findInputProblem } from '../present-result.js';
import { runAtomically } from '../operator.js';
import { createInterface } from 'node:readline/promises';

/** A workspace as its own keys read it, with its creation time. */
const present = (workspace: Workspace) => ({
  ...presentWorkspace(workspace),
  created_at: workspace.createdAt.toISOString(),
});

export const workspacesCreate = (workspaces: Command) =>
  workspaces
    .command('create')
    .description('create a workspace with a profile named default')
    .argument('<name>', 'unique in this installation', readName)
    .option('--timezone <zone>', 'IANA time zone of its profiles', readTimezone, 'UTC')
    .action(
      toAction((name: string, { timezone }: { timezone: string }) =>
        withService(async ({ service: { ports } }) => {
          const created = await createWorkspace(ports, { name, defaultTimezone: timezone });
          if (!created.ok) return created;
          const { workspace, profile } = created.value;
          return commandOutput(
            { ...present(workspace), profile_id: profile.id },
            `Created ${workspace.name} (${workspace.id}) with the profile ${profile.name} (${profile.id}).`,
          );
        }),
      ),
    );

export const workspacesList = (workspaces: Command) =>
  workspaces
    .command('list')
    .description('list the workspaces, oldest first')
    .action(
      toAction(() =>
        withService(async ({ service: { ports } }) => {
          const all = await ports.workspaces.list();
          const rows = all.map(({ id, name, displayName, defaultTimezone }) => [
            id,
            name,
            displayName,
            defaultTimezone,
          ]);
          return commandOutput(
            { data: all.map(present) },
            table(['id', 'name', 'display name', 'time zone'], rows, 'No workspaces.'),
          );
        }),
      ),
    );

interface UpdateOptions {
  readonly name?: string;
  readonly displayName?: string;
  readonly logoUrl?: string;
  readonly accentColor?: string;
  readonly supportEmail?: string;
  readonly privacyUrl?: string;
  readonly returnUrl?: readonly string[];
  readonly timezone?: string;
  readonly notifyEmail?: readonly string[];
}

export const workspacesUpdate = (workspaces: Command) =>
  workspaces
    .command('update')
    .description('update the name of a workspace and the settings of its hosted pages')
    .argument('<workspace>', 'id or name')
    .option('--name <name>', 'unique in this installation', readName)
    .option('--display-name <name>', 'name on the hosted pages; "" to use the workspace name')
    .option('--logo-url <url>', 'https; "" for none')
    .option('--accent-color <color>', 'such as #1a73e8; "" for the default')
    .option('--support-email <address>', '"" for none')
    .option('--privacy-url <url>', 'https; "" for none')
    .option('--return-url <url>', 'repeatable; replaces the list; none to clear it', collectValues)
    .option('--timezone <zone>', 'IANA time zone of profiles created later')
    .option(
      '--notify-email <address>',
      'notified of what waits for a person; repeatable; replaces the list; none to clear it',
      collectValues,
    )
    .action(toAction(update));

async function update(workspaceRef: string, { name, ...options }: UpdateOptions) {
  if (name === undefined && Object.keys(options).length === 0) {
    return usageError(
      'Nothing to change; set --name, --display-name, --logo-url, --accent-color, …; see --help.',
    );
  }
  const { returnUrl, notifyEmail } = options;
  const changes = {
    displayName: emptyToNull(options.displayName),
    logoUrl: emptyToNull(options.logoUrl),
    accentColor: emptyToNull(options.accentColor),
    supportEmail: emptyToNull(options.supportEmail),
    privacyUrl: emptyToNull(options.privacyUrl),
    returnUrls: returnUrl?.join() === 'none' ? [] : returnUrl,
    defaultTimezone: options.timezone,
    notifyEmails: notifyEmail?.join() === 'none' ? [] : notifyEmail,
  };
  const inputProblem = findInputProblem('updateWorkspace', {
    display_name: changes.displayName,
    logo_url: changes.logoUrl,
    accent_color: changes.accentColor,
    support_email: changes.supportEmail,
    privacy_url: changes.privacyUrl,
    return_urls: changes.returnUrls,
    default_timezone: changes.defaultTimezone,
    notify_emails: changes.notifyEmails,
  });
  if (inputProblem) return inputProblem;
  return withWorkspace(workspaceRef, async (context, workspace, call) => {
    const updated = await runAtomically(context, call, 'updateWorkspace', async (ports) => {
      const renamed = name === undefined ? ok() : await renameWorkspace(ports, call, { name });
      return renamed.ok ? updateWorkspace(ports, call, changes) : renamed;
    });
    if (!updated.ok) return updated;
    return commandOutput(present(updated.value), `Updated ${updated.value.name} (${updated.value.id}).`);
  });
}

/** An empty text clears a field. */
const emptyToNull = (text: string | undefined): string | null | undefined =>
  text === undefined ? undefined : text.trim() || null;

/** The time in which all platforms together revoke the grants; the rest is reported. */
const REVOCATION_TIMEOUT_MS = 60_000;

export const workspacesDelete = (workspaces: Command) =>
  workspaces
    .command('delete')
    .description('permanently delete a workspace with all its data; only a backup can restore it')
    .argument('<workspace>', 'id or name')
    .option('--yes', 'skip the confirmation prompt')
    .action(
      toAction((workspaceRef: string, { yes = false }: { yes?: boolean }) =>
        withWorkspace(workspaceRef, async (context, workspace) => {
          const { id, name } = workspace;
          if (!yes && !process.stdin.isTTY)
            return usageError('No terminal for the confirmation prompt: add --yes.');
          if (!yes && (await promptName(name, context.signal)) !== name)
            return usageError('The name does not match. Nothing was deleted.');
          const limit = AbortSignal.any([context.signal, AbortSignal.timeout(REVOCATION_TIMEOUT_MS)]);
          const deleted = await deleteWorkspace(context.service.ports, id, limit);
          if (!deleted.ok) return deleted;
          const { revoked, notRevoked } = deleted.value;
          return commandOutput(
            { id, name, deleted: true, revoked, not_revoked: notRevoked },
            [
              `Deleted ${name} (${id}). Revoked the grants of ${revoked.length} account(s).`,
              ...(notRevoked.length > 0
                ? [`Could not be revoked; revoke them at the platforms: ${notRevoked.join(', ')}.`]
                : []),
            ].join('\n'),
          );
        }),
      ),
    );

async function promptName(name: string, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(
      `This permanently deletes ${JSON.stringify(name)} with its keys, connections, posts and media. Type its name to confirm: `,
      { signal },
    );
  } catch {
    return '';
  } finally {
    terminal.close();
  }
}
