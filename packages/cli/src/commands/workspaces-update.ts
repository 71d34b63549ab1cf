import { ok } from '@switchboard/domain';
import { renameWorkspace, updateWorkspace } from '@switchboard/domain/workspaces';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
import { findInputProblem } from '../present-result.js';
import { runAtomically, operatorCall } from '../operator.js';
import { collectValues, readName } from '../options.js';
import { commandOutput, usageError } from '../command-result.js';
import { presentWorkspace } from '../shapes.js';
import { withService } from '../with-service.js';

interface Options {
  readonly name?: string;
  readonly displayName?: string;
  readonly logoUrl?: string;
  readonly accentColor?: string;
  readonly supportEmail?: string;
  readonly privacyUrl?: string;
  readonly returnUrl?: readonly string[];
  readonly timezone?: string;
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
    .action(toAction(update));

async function update(workspaceRef: string, { name, ...options }: Options) {
  if (name === undefined && Object.keys(options).length === 0) {
    return usageError(
      'Nothing to change; set --name, --display-name, --logo-url, --accent-color, …; see --help.',
    );
  }
  const { returnUrl } = options;
  const changes = {
    displayName: emptyToNull(options.displayName),
    logoUrl: emptyToNull(options.logoUrl),
    accentColor: emptyToNull(options.accentColor),
    supportEmail: emptyToNull(options.supportEmail),
    privacyUrl: emptyToNull(options.privacyUrl),
    returnUrls: returnUrl?.join() === 'none' ? [] : returnUrl,
    defaultTimezone: options.timezone,
  };
  const inputProblem = findInputProblem('updateWorkspace', {
    display_name: changes.displayName,
    logo_url: changes.logoUrl,
    accent_color: changes.accentColor,
    support_email: changes.supportEmail,
    privacy_url: changes.privacyUrl,
    return_urls: changes.returnUrls,
    default_timezone: changes.defaultTimezone,
  });
  if (inputProblem) return inputProblem;
  return withService(async (context) => {
    const found = await findWorkspace(context, workspaceRef);
    if (!found.ok) return found;
    const call = operatorCall(context, found.value.id);
    const updated = await runAtomically(
      context,
      call,
      'updateWorkspace',
      async (ports) => {
        const renamed = name === undefined ? ok() : await renameWorkspace(ports, call, { name });
        return renamed.ok ? updateWorkspace(ports, call, changes) : renamed;
      },
      ({ id }) => id,
    );
    if (!updated.ok) return updated;
    return commandOutput(
      presentWorkspace(updated.value),
      `Updated ${updated.value.name} (${updated.value.id}).`,
    );
  });
}

/** An empty text clears a field. */
const emptyToNull = (text: string | undefined): string | null | undefined =>
  text === undefined ? undefined : text.trim() || null;
