import type { RawResponse } from '@switchboard/fault-injection';
import type { Markup } from '../pages/layout.js';

/** A handler's response. The fault, if any, decides how much of it is sent. */
export type HttpResponse = RawResponse;

type ResponseHeaders = Readonly<Record<string, string>>;

export function json(status: number, value: unknown, headers: ResponseHeaders = {}): HttpResponse {
  const type = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers: { ...type, ...headers }, bytes: Buffer.from(JSON.stringify(value)) };
}

export function empty(status: number, headers: ResponseHeaders = {}): HttpResponse {
  return { status, headers, bytes: new Uint8Array() };
}

export function seeOther(location: string, headers: ResponseHeaders = {}): HttpResponse {
  return empty(303, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers });
}

export function text(contentType: string, content: string, headers: ResponseHeaders = {}): HttpResponse {
  return { status: 200, headers: { ...headers, 'content-type': contentType }, bytes: Buffer.from(content) };
}

/** User-uploaded content: browsers must not sniff another type. */
export function file(contentType: string, bytes: Uint8Array): HttpResponse {
  const headers = { 'x-content-type-options': 'nosniff', 'cache-control': 'max-age=3600' };
  return { status: 200, headers: { ...headers, 'content-type': contentType }, bytes };
}

export function page(status: number, markup: Markup, headers: ResponseHeaders = {}): HttpResponse {
  return {
    status,
    headers: {
      'cache-control': 'no-store',
      // The form's response redirects to the client, and browsers apply `form-action` to the whole redirect
      // chain, so the client's further redirects must be allowed too.
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self' http: https:; frame-ancestors 'none'; base-uri 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-type': 'text/html; charset=utf-8',
      ...headers,
    },
    bytes: Buffer.from(`<!doctype html>\n${markup.text}`),
  };
}

/** The error format of both APIs. */
export function refusal(
  status: number,
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  headers: ResponseHeaders = {},
): HttpResponse {
  return json(status, { error: { code, message, ...details } }, headers);
}

/** The error of one field of a body or of a query. */
export const invalidField = (
  field: string,
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): HttpResponse => refusal(422, code, message, { field, ...details });

export const notFound = (): HttpResponse => refusal(404, 'not_found', 'Not found.');
