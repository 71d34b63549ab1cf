import type { WireResponse } from '../wire/exchange.js';

const STATUS_CODES = 'https://developer.bigcommerce.com/api-docs/getting-started/api-status-codes';

/** v2 returns a list with one error. */
export const v2Error = (status: number, message: string): WireResponse => ({
  status,
  json: [{ status, message }],
});

export const v3Error = (status: number, title: string): WireResponse => ({
  status,
  json: { status, title, type: STATUS_CODES, errors: {} },
});
