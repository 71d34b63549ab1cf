import type { Call } from './call.js';
import type { Page, PageRequest, Rows } from './page.js';
import type { Tools } from './ports/index.js';
import { ok, type Result } from './result.js';

/** A page request from a caller. */
export interface PageCommand {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Opens the caller's cursor, reads the rows and seals the position at which they end: the cursor of one list
 * never opens another.
 */
export async function readPage<Item>(
  ports: Pick<Tools, 'cursors'>,
  call: Call,
  list: string,
  filter: unknown,
  command: PageCommand,
  read: (page: PageRequest) => Promise<Rows<Item>>,
): Promise<Result<Page<Item>, 'request.invalid_cursor'>> {
  const scope = { workspaceId: call.workspaceId, list, filter };
  const position = command.cursor === undefined ? ok(undefined) : ports.cursors.read(scope, command.cursor);
  if (!position.ok) return position;
  const rows = await read({ limit: command.limit, after: position.value });
  return ok({
    items: rows.items,
    nextCursor: rows.next === undefined ? null : ports.cursors.write(scope, rows.next),
  });
}
