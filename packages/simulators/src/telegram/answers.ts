import { answer, type WireAnswer } from '../wire/exchange.js';

/** https://core.telegram.org/bots/api#making-requests: every answer says whether it is one. */
export const result = (value: unknown): WireAnswer => answer({ ok: true, result: value });

export const refused = (code: number, description: string, parameters?: object): WireAnswer => ({
  status: code,
  json: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
});

export const badRequest = (what: string, parameters?: object) =>
  refused(400, `Bad Request: ${what}`, parameters);
export const forbidden = (what: string) => refused(403, `Forbidden: ${what}`);
export const unauthorized = refused(401, 'Unauthorized');
export const notFound = refused(404, 'Not Found');
