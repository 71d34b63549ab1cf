import { getKey } from '../access/get-key.js';
import type { Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import type { AuthorizedClient } from './authorized-client.js';

interface ListClients extends PageCommand {
  readonly id: string;
}

/** The clients of a key and of the keys it was rotated from and into, newest first, also those that ended. */
export async function listClients(
  ports: Pick<ReadPorts, 'apiKeys' | 'clients' | 'cursors'>,
  call: Call,
  command: ListClients,
): Promise<Result<Page<AuthorizedClient>, 'key.not_found' | 'request.invalid_cursor'>> {
  const key = await getKey(ports, call, command);
  if (!key.ok) return key;
  const { lineage } = key.value;
  return readPage(ports, call, 'clients', { lineage }, command, (page) =>
    ports.clients.list(call.workspaceId, lineage, page),
  );
}
