import { notFound, ok, parseId, refuse, type Connection, type Result } from '@switchboard/domain';
import { findProfile } from './find-profile.js';
import { findWorkspace } from './find-workspace.js';
import { misused } from './outcome.js';
import type { Desk } from './with-service.js';

interface Wanted {
  readonly platform: string;
  readonly workspace?: string;
  readonly profile?: string;
  readonly connection?: string;
}

/** The connected account of a platform that a command is about; of several, one must be named. */
export async function findAccount(desk: Desk, wanted: Wanted): Promise<Result<Connection>> {
  const { platform } = wanted;
  const { ports } = desk.service;
  if (!ports.manifests.find(platform))
    return refuse(
      'platform.not_found',
      `There is no platform ${platform}. See \`switchboard platforms list\`.`,
    );
  const workspace = await findWorkspace(desk, wanted.workspace);
  if (!workspace.ok) return workspace;
  const profile =
    wanted.profile === undefined ? null : await findProfile(desk, workspace.value.id, wanted.profile);
  if (profile && !profile.ok) return profile;
  const id = wanted.connection === undefined ? undefined : parseId('con', wanted.connection);
  if (id === null) return notFound('connection');
  const fitting = await ports.connections.listAll(workspace.value.id, {
    reach: null,
    platforms: [platform],
    profileId: profile?.value.id,
    ids: id && [id],
  });
  const [only, ...others] = fitting;
  if (!only) {
    return refuse(
      'connection.not_found',
      `No such account of ${platform} is connected. \`switchboard connect ${platform}\` connects one.`,
    );
  }
  const names = fitting.map(
    (one) => `${one.id} (${one.account.username ?? one.account.name ?? one.account.id})`,
  );
  return others.length === 0 ? ok(only) : misused(`Name one with --connection: ${names.join(', ')}.`);
}
