import { reachOf, type Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import type { Profile } from './profile.js';

interface ListProfiles extends PageCommand {
  readonly name?: string | undefined;
  readonly externalId?: string | undefined;
}

export function listProfiles(
  ports: Pick<ReadPorts, 'profiles' | 'cursors'>,
  call: Call,
  { limit, cursor, ...command }: ListProfiles,
): Promise<Result<Page<Profile>, 'request.invalid_cursor'>> {
  const filter = { ...command, reach: reachOf(call) };
  return readPage(ports, call, 'profiles', filter, { limit, cursor }, (page) =>
    ports.profiles.list(call.workspaceId, filter, page),
  );
}
