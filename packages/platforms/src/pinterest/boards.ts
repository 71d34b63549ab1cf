import { ok, type FailureCode, type PublishOption, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { everyPage } from '../kit/every-page.js';
import { manifest } from './manifest.js';
import { ask, listOf, named, type Named } from './wire.js';

type Choice = NonNullable<PublishOption['choices']>[number];

const PAGE = 250;
const PAGES_MAX = 8;
/** A section belongs to one board, and each board is asked for its own. */
const BOARDS_ASKED_MAX = 60;
const AT_ONCE = 6;

/** Of one board as of every other. */
const ends: readonly FailureCode[] = ['connection.needs_reauth', 'platform.permission_missing'];

/** The account's boards, and below each its sections, as choices of the option that says where a pin goes. */
export async function boardOptions(session: Session): Answer<readonly PublishOption[]> {
  const boards = await everyOne(session, '/v5/boards');
  if (!boards.ok) return boards;
  const { items } = boards.value;
  const choices: Choice[] = [];
  let { more } = boards.value;
  let boardsAsked = BOARDS_ASKED_MAX;
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const some = items.slice(at, at + AT_ONCE);
    const asked = at < boardsAsked ? some.map((board) => sectionsOf(session, board)) : [];
    const sections = await Promise.all(asked);
    for (const [index, board] of some.entries()) {
      const own = sections[index] ?? ok(unasked);
      if (!own.ok && ends.includes(own.failure.code)) return own;
      if (!own.ok && own.failure.code === 'platform.rate_limited') boardsAsked = 0;
      // One that was deleted meanwhile, is shared without them, or cannot be read now, hides no other.
      choices.push({ value: board.id, label: board.name }, ...(own.ok ? own.value.items : []));
      more ||= !own.ok || own.value.more;
    }
  }
  return ok(
    manifest.options.flatMap((option) => (option.name === 'board_id' ? [{ ...option, choices, more }] : [])),
  );
}

/** What was read of a list, and whether that is not all of it. */
interface Read<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

const unasked: Read<Choice> = { items: [], more: true };

async function sectionsOf(session: Session, board: Named): Answer<Read<Choice>> {
  const sections = await everyOne(session, `/v5/boards/${encodeURIComponent(board.id)}/sections`);
  if (!sections.ok) return sections;
  const { items, more } = sections.value;
  const choices = items.map(({ id, name }) => ({
    value: `${board.id}/${id}`,
    label: `${board.name} › ${name}`,
  }));
  return ok({ items: choices, more });
}

async function everyOne(session: Session, path: string): Answer<Read<Named>> {
  let next: string | undefined;
  const items = await everyPage(PAGES_MAX, async (bookmark) => {
    const query = { page_size: PAGE, bookmark };
    const listed = await ask(session, { method: 'GET', path, query, effect: 'read' }, listOf(named));
    if (!listed.ok) return listed;
    next = listed.value.bookmark || undefined;
    return ok({ found: listed.value.items, next });
  });
  return items.ok ? ok({ items: items.value, more: next !== undefined }) : items;
}
