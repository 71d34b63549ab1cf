import type { WireResponse } from '../wire/exchange.js';

const CATEGORIES: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'AUTHENTICATION_ERROR',
  ACCESS_TOKEN_EXPIRED: 'AUTHENTICATION_ERROR',
  INSUFFICIENT_SCOPES: 'AUTHENTICATION_ERROR',
  REFUND_AMOUNT_INVALID: 'REFUND_ERROR',
  REFUND_DECLINED: 'REFUND_ERROR',
  PAYMENT_NOT_REFUNDABLE: 'REFUND_ERROR',
  REFUND_ERROR_PAYMENT_NEEDS_COMPLETION: 'REFUND_ERROR',
};

/** Square's error format of all endpoints. */
export const squareError = (status: number, code: string, detail: string, field?: string): WireResponse => ({
  status,
  json: {
    errors: [
      {
        category: CATEGORIES[code] ?? 'INVALID_REQUEST_ERROR',
        code,
        detail,
        ...(field !== undefined && { field }),
      },
    ],
  },
});

/** Square's errors of a request's fields, and of what cannot be done, have status 400. */
export const badRequest = (code: string, detail: string, field?: string): WireResponse =>
  squareError(400, code, detail, field);

export const missingField = (field: string): WireResponse =>
  badRequest('MISSING_REQUIRED_PARAMETER', `Missing required parameter: ${field}.`, field);

export const isErrorResponse = (value: unknown): value is WireResponse =>
  typeof value === 'object' && value !== null && 'status' in value && typeof value.status === 'number';
