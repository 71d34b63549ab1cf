import type { Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import { visibleLineage } from './find-media.js';
import type { Media } from './media.js';

type ListMedia = PageCommand;

export function listMedia(
  ports: Pick<ReadPorts, 'media' | 'cursors'>,
  call: Call,
  command: ListMedia,
): Promise<Result<Page<Media>, 'request.invalid_cursor'>> {
  const filter = { lineage: visibleLineage(call) };
  return readPage(ports, call, 'media', filter, command, (page) =>
    ports.media.list(call.workspaceId, filter, page),
  );
}
