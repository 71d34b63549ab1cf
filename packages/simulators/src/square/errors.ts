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

const DETAILS: Readonly<Record<string, string>> = {
  ARRAY_EMPTY: 'Field must not be empty.',
  ARRAY_LENGTH_TOO_LONG: 'Field has too many elements.',
  BAD_REQUEST: 'The sort field must be the one time that is filtered by.',
  CARD_PRESENCE_REQUIRED: 'The transaction requires that a card be present.',
  CURRENCY_MISMATCH: 'The currency is not that of the payment.',
  EXPECTED_INTEGER: 'Expected an integer value.',
  IDEMPOTENCY_KEY_REUSED: 'Refund request idempotency key was previously used for a different amount.',
  INVALID_CURSOR: 'The pagination cursor is invalid or has expired.',
  INVALID_ENUM_VALUE: 'Unknown value.',
  INVALID_SORT_ORDER: 'Unknown sort order.',
  INVALID_SQUARE_VERSION_FORMAT: 'The version is a date.',
  INVALID_TIME: 'The time is not in RFC 3339.',
  INVALID_TIME_RANGE: 'The end is before the start.',
  PAYMENT_NOT_REFUNDABLE: 'The payment is not refundable.',
  REFUND_AMOUNT_INVALID: 'The requested refund amount exceeds the amount available to refund.',
  REFUND_DECLINED: 'The card issuer declined the refund.',
  REFUND_ERROR_PAYMENT_NEEDS_COMPLETION: 'The payment is approved and needs to be completed first.',
  VALUE_TOO_HIGH: 'Value is too high.',
  VALUE_TOO_LOW: 'Value must be at least 1.',
  VERSION_MISMATCH: 'The payment has another version than the one expected.',
};

/** Square's errors of a request's fields, and of what cannot be done, have status 400. */
export const badRequest = (code: string, field?: string, detail = DETAILS[code] ?? ''): WireResponse =>
  squareError(400, code, detail, field);

export const missingField = (field: string): WireResponse =>
  badRequest('MISSING_REQUIRED_PARAMETER', field, `Missing required parameter: ${field}.`);

export const isErrorResponse = (value: unknown): value is WireResponse =>
  typeof value === 'object' && value !== null && 'status' in value && typeof value.status === 'number';
