import { ok, type FailureCode, type PublishOption, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { listAllPages } from '@switchboard/platform-kit/list-all-pages';
import { manifest } from './manifest.js';
import { requestJson, listOf, namedEntry, type NamedEntry } from './wire.js';

type BoardChoice = NonNullable<PublishOption['choices']>[number];

const PAGE = 250;
const PAGES_MAX = 8;
/** A section belongs to one board, and sections are requested per board. */
const BOARDS_QUERIED_MAX = 60;
const CONCURRENCY = 6;

/** The same fields for every board. */
const fatalCodes: readonly FailureCode[] = ['connection.needs_reauth', 'platform.permission_missing'];

/**
 * The account's boards with their sections, as choices of the option that determines where a pin is created.
 */
export async function boardOptions(session: Session): AdapterResult<readonly PublishOption[]> {
  const boards = await listNamed(session, '/v5/boards');
  if (!boards.ok) return boards;
  const { items } = boards.value;
  const choices: BoardChoice[] = [];
  let { more } = boards.value;
  let boardsAsked = BOARDS_QUERIED_MAX;
  for (let at = 0; at < items.length; at += CONCURRENCY) {
    const some = items.slice(at, at + CONCURRENCY);
    const requested = at < boardsAsked ? some.map((board) => listSections(session, board)) : [];
    const sections = await Promise.all(requested);
    for (const [index, board] of some.entries()) {
      const own = sections[index] ?? ok(notQueried);
      if (!own.ok && fatalCodes.includes(own.failure.code)) return own;
      if (!own.ok && own.failure.code === 'platform.rate_limited') boardsAsked = 0;
      // A board that was deleted meanwhile, is shared without its sections, or cannot be read now, hides no
      // other.
      choices.push({ value: board.id, label: board.name }, ...(own.ok ? own.value.items : []));
      more ||= !own.ok || own.value.more;
    }
  }
  return ok(
    manifest.options.flatMap((option) => (option.name === 'board_id' ? [{ ...option, choices, more }] : [])),
  );
}

/** The items read from a list, and whether the list is incomplete. */
interface PartialList<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

const notQueried: PartialList<BoardChoice> = { items: [], more: true };

async function listSections(session: Session, board: NamedEntry): AdapterResult<PartialList<BoardChoice>> {
  const sections = await listNamed(session, `/v5/boards/${encodeURIComponent(board.id)}/sections`);
  if (!sections.ok) return sections;
  const { items, more } = sections.value;
  const choices = items.map(({ id, name }) => ({
    value: `${board.id}/${id}`,
    label: `${board.name} › ${name}`,
  }));
  return ok({ items: choices, more });
}

async function listNamed(session: Session, path: string): AdapterResult<PartialList<NamedEntry>> {
  let next: string | undefined;
  const items = await listAllPages(PAGES_MAX, async (bookmark) => {
    const query = { page_size: PAGE, bookmark };
    const listed = await requestJson(session, { path, query }, listOf(namedEntry));
    if (!listed.ok) return listed;
    next = listed.value.bookmark || undefined;
    return ok({ found: listed.value.items, next });
  });
  return items.ok ? ok({ items: items.value, more: next !== undefined }) : items;
}
