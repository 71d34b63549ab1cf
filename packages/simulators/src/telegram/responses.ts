import { okResponse, type WireResponse } from '../wire/exchange.js';

/** https://core.telegram.org/bots/api#making-requests: every response contains `ok`. */
export const result = (value: unknown): WireResponse => okResponse({ ok: true, result: value });

export const errorResponse = (code: number, description: string, parameters?: object): WireResponse => ({
  status: code,
  json: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
});

export const badRequest = (what: string, parameters?: object) =>
  errorResponse(400, `Bad Request: ${what}`, parameters);
export const forbidden = (what: string) => errorResponse(403, `Forbidden: ${what}`);
export const unauthorized = errorResponse(401, 'Unauthorized');
export const notFound = errorResponse(404, 'Not Found');
