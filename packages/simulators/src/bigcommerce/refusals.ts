import type { WireAnswer } from '../wire/exchange.js';

const STATUS_CODES = 'https://developer.bigcommerce.com/api-docs/getting-started/api-status-codes';

/** v2 answers with a list, of one. */
export const refuseV2 = (status: number, message: string): WireAnswer => ({
  status,
  json: [{ status, message }],
});

export const refuseV3 = (status: number, title: string): WireAnswer => ({
  status,
  json: { status, title, type: STATUS_CODES, errors: {} },
});
