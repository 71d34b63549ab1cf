import { notFound, ok, parseId, refuse, type Result } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import { findProfile } from './find-profile.js';
import { findWorkspace } from './find-workspace.js';
import { usageError } from './command-result.js';
import type { CommandContext } from './with-service.js';

interface AccountSelector {
  readonly platform: string;
  readonly workspace?: string;
  readonly profile?: string;
  readonly connection?: string;
}

/** The connected account of a platform for a command; when there are several, one must be named. */
export async function findAccount(
  context: CommandContext,
  selector: AccountSelector,
): Promise<Result<Connection>> {
  const { platform } = selector;
  const { ports } = context.service;
  if (!ports.manifests.find(platform))
    return refuse('platform.not_found', `Unknown platform ${platform}. See \`switchboard platforms list\`.`);
  const workspace = await findWorkspace(context, selector.workspace);
  if (!workspace.ok) return workspace;
  const profile =
    selector.profile === undefined ? null : await findProfile(context, workspace.value.id, selector.profile);
  if (profile && !profile.ok) return profile;
  const id = selector.connection === undefined ? undefined : parseId('con', selector.connection);
  if (id === null) return notFound('connection');
  const matches = await ports.connections.listAll(workspace.value.id, {
    reach: null,
    platforms: [platform],
    profileId: profile?.value.id,
    ids: id && [id],
  });
  const [only, ...others] = matches;
  if (!only) {
    return refuse(
      'connection.not_found',
      `No such account of ${platform} is connected. Run \`switchboard connect ${platform}\` to connect one.`,
    );
  }
  const names = matches.map(
    (one) => `${one.id} (${one.account.username ?? one.account.name ?? one.account.id})`,
  );
  return others.length === 0 ? ok(only) : usageError(`Name one with --connection: ${names.join(', ')}.`);
}
