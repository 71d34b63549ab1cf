import { GraphQLError } from 'graphql';

export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

const FIRST_MAX = 250;

const badRequest = (message: string) => new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });

/**
 * A page of a sorted list. The cursor contains the sort position, so that new items at the front cause no
 * duplicates. `cap` limits the depth of pagination.
 */
export function connectionOf<Item extends { readonly id: number }>(
  sorted: readonly Item[],
  { first, after }: PageArguments,
  options: {
    readonly by?: (item: Item) => number;
    readonly reverse?: boolean;
    readonly cap?: number;
    readonly present: (item: Item) => unknown;
  },
) {
  if (typeof first !== 'number') throw badRequest('you must provide one of first or last');
  if (first < 0 || first > FIRST_MAX) throw badRequest(`first must be between 0 and ${FIRST_MAX}`);
  const { by = (item: Item) => item.id, reverse = false, cap = Infinity, present } = options;
  const way = reverse ? -1 : 1;
  const isBehind = (item: Item, last: CursorPosition) =>
    (by(item) - last.value || item.id - last.id) * way > 0;
  const last = after === null || after === undefined ? null : readCursor(after);
  const from = last === null ? 0 : sorted.findIndex((item) => isBehind(item, last));
  if (from >= cap) throw badRequest(`Pagination is limited to ${cap} objects.`);
  const items = from < 0 ? [] : sorted.slice(from, Math.min(from + first, cap));
  const cursors = items.map((item) => writeCursor({ id: item.id, value: by(item) }));
  return {
    nodes: items.map(present),
    pageInfo: {
      hasNextPage: from >= 0 && from + items.length < sorted.length,
      endCursor: cursors.at(-1) ?? null,
    },
  };
}

interface CursorPosition {
  readonly id: number;
  readonly value: number;
}

const writeCursor = (position: CursorPosition): string =>
  Buffer.from(JSON.stringify({ last_id: position.id, last_value: position.value })).toString('base64');

function readCursor(cursor: string): CursorPosition {
  try {
    const read = JSON.parse(Buffer.from(cursor, 'base64').toString()) as Record<string, number>;
    return { id: Number(read['last_id']), value: Number(read['last_value']) };
  } catch {
    throw badRequest('Invalid cursor for current pagination sort.');
  }
}
