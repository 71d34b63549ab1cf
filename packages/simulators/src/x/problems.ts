import type { WireResponse } from '../wire/exchange.js';

/** RFC 7807, as X uses it. */
export const problem = (
  status: number,
  title: string,
  detail: string,
  type = 'about:blank',
): WireResponse => ({
  status,
  json: { title, detail, type, status },
});

/** A parameter error. */
export const invalid = (parameter: string, message: string): WireResponse => ({
  status: 400,
  json: {
    errors: [{ parameters: { [parameter]: [] }, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: 'https://api.x.com/2/problems/invalid-request',
  },
});

export const unauthorized = problem(401, 'Unauthorized', 'Unauthorized');
export const forbidden = problem(403, 'Forbidden', 'Forbidden');
