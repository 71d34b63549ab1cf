import { ok, type PlatformRequest, type Session } from '@switchboard/domain';
import type { z } from 'zod';
import type { Answer } from '../kit/answers.js';
import type { ListedPage } from '../kit/look-back.js';
import { ask } from './ask.js';
import type { List } from './wire.js';

const PAGE = 100;

/** A page of a list, which may have fewer than were asked for though more come after it. */
export async function listPage<One>(
  session: Session,
  request: Pick<PlatformRequest, 'path' | 'query' | 'headers'>,
  schema: z.ZodType<List<One>>,
  start = '0',
): Answer<ListedPage<One>> {
  const query = { ...request.query, start, count: PAGE };
  const listed = await ask(session, { ...request, method: 'GET', query, effect: 'read' }, schema);
  if (!listed.ok) return listed;
  const { elements, paging } = listed.value;
  const goesOn = elements.length >= PAGE || paging?.links?.some(({ rel }) => rel === 'next');
  const next = elements.length > 0 && goesOn ? String(Number(start) + PAGE) : undefined;
  return ok({ found: elements, next });
}
