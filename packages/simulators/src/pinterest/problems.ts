import type { WireResponse } from '../wire/exchange.js';

/** Pinterest's error format. */
export const problem = (status: number, code: number, message: string): WireResponse => ({
  status,
  json: { code, message },
});

export const invalid = (message: string): WireResponse => problem(400, 1, message);
export const notAuthenticated = problem(401, 2, 'Authentication failed.');
/** With the status of an invalid token (pinterest/api-quickstart#97). */
export const notAllowed = problem(
  401,
  3,
  'Your token does not have sufficient permissions to perform this operation. Please ensure your token is authorized with the correct set of scopes.',
);
export const noSuchPin = problem(404, 50, 'Pin not found.');
export const noSuchBoard = problem(404, 40, 'Board not found.');
