import { reachOf, type Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import type { Profile } from './profile.js';

export type ListProfiles = PageCommand;

export function listProfiles(
  ports: Pick<ReadPorts, 'profiles' | 'cursors'>,
  call: Call,
  command: ListProfiles,
): Promise<Result<Page<Profile>, 'request.invalid_cursor'>> {
  const reach = reachOf(call);
  return readPage(ports, call, 'profiles', { reach }, command, (page) =>
    ports.profiles.list(call.workspaceId, reach, page),
  );
}
