import { pickFields, type Read, type WireResponse } from '../wire/exchange.js';
import { SITE_OFFSET_MINUTES } from './present.js';

/** A WordPress error: the body contains the status when it was given in WordPress's format. */
export const wpError = (
  status: number,
  code: string,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): WireResponse => ({ status, json: { code, message, data: { status, ...data } } });

/** WooCommerce's frequent mistake: a bare number as error data, which WordPress ignores and returns 500. */
export const wooError = (number: number, code: string, message: string): WireResponse => ({
  status: 500,
  json: { code, message, data: number },
});

export const invalidParameter = (name: string, reason: string): WireResponse =>
  wpError(400, 'rest_invalid_param', `Invalid parameter(s): ${name}`, {
    params: { [name]: reason },
    details: {},
  });

/** PHP's list formats: `name[]=1&name[]=2`, or comma-separated. */
export const listOf = (query: URLSearchParams, name: string): readonly string[] =>
  [...query.getAll(`${name}[]`), ...query.getAll(name).flatMap((text) => text.split(','))].filter(Boolean);

const DATE = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d(:\d\d)?)?$/;
export const isDate = (text: string): boolean => DATE.test(text);

/**
 * WordPress's conversion of a value compared with a column: a time with an offset is converted to site time,
 * regardless of the column's time zone; one without is used as written.
 */
export function comparable(text: string): string {
  const [, plain = '', , offset] = /^(.{19})(\.\d+)?(.*)$/.exec(text.replace(' ', 'T')) ?? [];
  if (!offset) return plain;
  return new Date(Date.parse(text) + SITE_OFFSET_MINUTES * 60_000).toISOString().slice(0, 19);
}

export function readPaging(query: URLSearchParams) {
  const number = (name: string, least: number, most: number, otherwise: number) => {
    const text = query.get(name);
    if (text === null) return otherwise;
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    return value >= least && value <= most ? value : null;
  };
  const perPage = number('per_page', 1, 100, 10);
  if (perPage === null)
    return invalidParameter('per_page', 'per_page must be between 1 (inclusive) and 100 (inclusive)');
  const page = number('page', 1, Infinity, 1);
  if (page === null) return invalidParameter('page', 'page must be greater than or equal to 1');
  const offset = number('offset', 0, Infinity, (page - 1) * perPage);
  if (offset === null) return invalidParameter('offset', 'offset is not of type integer.');
  return { perPage, offset };
}

/** A page of results, with the headers of every collection and the requested fields only. */
export function pageOf<Row>(
  rows: readonly Row[],
  { perPage, offset }: Read<typeof readPaging>,
  query: URLSearchParams,
  present: (row: Row) => Readonly<Record<string, unknown>>,
): WireResponse {
  const pages = Math.ceil(rows.length / perPage);
  return {
    status: 200,
    headers: { 'x-wp-total': String(rows.length), 'x-wp-totalpages': String(pages) },
    json: rows.slice(offset, offset + perPage).map((row) => onlyFields(present(row), query)),
  };
}

export function onlyFields(
  shown: Readonly<Record<string, unknown>>,
  query: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const requested = listOf(query, '_fields');
  return requested.length === 0 ? shown : pickFields(shown, requested);
}
