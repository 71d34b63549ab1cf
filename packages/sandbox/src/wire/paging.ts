import type { Request } from 'express';
import { invalidField, type HttpResponse } from './response.js';
import { queryText } from './parameters.js';

interface PagePosition {
  readonly sort: string;
  readonly value: string;
  readonly id: string;
}

interface Paging {
  readonly limit: number;
  readonly position: PagePosition | undefined;
}

/** Reads `limit` and `page_token`; the token is opaque to callers and bound to its sort order. */
export function readPaging(request: Request, sort: string, defaultLimit: number): Paging | HttpResponse {
  const limit = queryText(request, 'limit');
  if (limit !== undefined && !/^([1-9]\d?|100)$/.test(limit)) {
    return invalidField('limit', 'limit_invalid', 'limit must be a whole number from 1 to 100.');
  }
  const token = queryText(request, 'page_token');
  const position = token === undefined ? undefined : decode(token);
  if (position === null || (position && position.sort !== sort)) {
    const message = 'This page_token belongs to a list in a different order.';
    return invalidField('page_token', 'page_token_invalid', message);
  }
  return { limit: limit === undefined ? defaultLimit : Number(limit), position };
}

/** Returns the page after `position`. Rows are ordered by a value and, for equal values, by ID. */
export function cutPage<T>(
  rows: readonly T[],
  sort: string,
  paging: Paging,
  place: (row: T) => { value: string; id: string },
) {
  const direction = sort.startsWith('-') ? -1 : 1;
  const compare = (a: { value: string; id: string }, b: { value: string; id: string }) =>
    direction * (a.value === b.value ? compareText(a.id, b.id) : compareText(a.value, b.value));
  const { position } = paging;
  const following = rows
    .filter((row) => position === undefined || compare(place(row), position) > 0)
    .sort((a, b) => compare(place(a), place(b)));
  const data = following.slice(0, paging.limit);
  const last = data.at(-1);
  const more = following.length > data.length && last !== undefined;
  return { data, next_page_token: more ? encode({ sort, ...place(last) }) : null };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function encode(position: PagePosition): string {
  return Buffer.from(JSON.stringify([position.sort, position.value, position.id])).toString('base64url');
}

function decode(token: string): PagePosition | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string'))
      return null;
    const [sort = '', value = '', id = ''] = parts;
    return { sort, value, id };
  } catch {
    return null;
  }
}
