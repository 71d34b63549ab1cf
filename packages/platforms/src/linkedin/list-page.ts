import { ok, type PlatformRequest, type Session } from '@switchboard/platform-kit';
import type { z } from 'zod';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import type { ListedPage } from '@switchboard/platform-kit/find-recent-posts';
import { requestJson } from './client.js';
import { postList } from './manifest.js';
import type { ListResponse } from './wire.js';

/** A page of a list, which may have fewer items than requested although more follow. */
export async function listPage<One>(
  session: Session,
  request: Pick<PlatformRequest, 'path' | 'query' | 'headers'>,
  schema: z.ZodType<ListResponse<One>>,
  start = '0',
): AdapterResult<ListedPage<One>> {
  const query = { ...request.query, start, count: postList.postsPerPage };
  const listed = await requestJson(session, { ...request, method: 'GET', query, effect: 'read' }, schema);
  if (!listed.ok) return listed;
  const { elements, paging } = listed.value;
  const hasMore =
    elements.length >= postList.postsPerPage || paging?.links?.some(({ rel }) => rel === 'next');
  const next = elements.length > 0 && hasMore ? String(Number(start) + postList.postsPerPage) : undefined;
  return ok({ found: elements, next });
}
