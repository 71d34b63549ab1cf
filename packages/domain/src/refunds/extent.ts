import { refuse, type Problem } from '../failure.js';
import { parseAmount } from '../money.js';
import { ok, type Result } from '../result.js';
import type { RefundLine } from './refund.js';

/** An amount as a caller writes it: a plain text uses the order's currency. */
type AmountInput = string | { readonly amount: string; readonly currency: string };

/** The fields that define the extent and manner of a refund. Omitted ones are undefined. */
export interface RefundFields {
  readonly full?: boolean | undefined;
  readonly amount?: AmountInput | undefined;
  readonly lineItems?: readonly LineItemInput[] | undefined;
  /** `full` or an amount. */
  readonly shipping?: AmountInput | undefined;
  readonly linesAre?: 'restock_only' | undefined;
  readonly paymentId?: string | undefined;
  readonly reason?: string | undefined;
  readonly note?: string | undefined;
  readonly notifyCustomer?: boolean | undefined;
  readonly expectedRefundable?: AmountInput | undefined;
  readonly allowOffline?: boolean | undefined;
}

interface LineItemInput {
  readonly id: string;
  readonly quantity: number;
  readonly restock?: boolean | undefined;
  readonly locationId?: string | undefined;
}

/** The requested extent, given in exactly one way, before it is validated against the order. */
export type RequestedExtent =
  | { readonly kind: 'full' }
  | { readonly kind: 'amount'; readonly amountMinor: number; readonly restock: readonly RefundLine[] }
  | {
      readonly kind: 'lines';
      readonly lines: readonly RefundLine[];
      readonly shipping: 'none' | 'full' | number;
    };

export type ExtentFailure =
  | 'refund.extent_required'
  | 'refund.extent_conflict'
  | 'refund.currency_mismatch'
  | 'request.invalid';

/**
 * An empty request means the entire remainder; one without an extent but with other fields is rejected, since
 * it may contain a misspelled one.
 */
export function parseExtent(fields: RefundFields, currency: string): Result<RequestedExtent, ExtentFailure> {
  const { full, amount, lineItems = [], shipping, linesAre } = fields;
  if (Object.values(fields).every((value) => value === undefined)) return ok({ kind: 'full' });
  const wantsLines = lineItems.length > 0 || shipping !== undefined;
  if (full !== true && amount === undefined && !wantsLines) {
    return refuse(
      'refund.extent_required',
      'Send what to refund: `full: true`, `amount`, or `line_items` and `shipping`.',
    );
  }
  const restocksOnly =
    linesAre === 'restock_only' && amount !== undefined && lineItems.length > 0 && shipping === undefined;
  if ([full === true, amount !== undefined, wantsLines && !restocksOnly].filter(Boolean).length > 1) {
    return refuse(
      'refund.extent_conflict',
      'Send only one of `full`, `amount`, or `line_items` with `shipping`. With `lines_are: "restock_only"`, `line_items` may accompany an amount and then only define what is restocked.',
    );
  }
  if (linesAre !== undefined && !restocksOnly) {
    return refuse('refund.extent_conflict', '`lines_are` is valid only for an `amount` with `line_items`.');
  }
  const lines = parseLines(lineItems, restocksOnly);
  if (!lines.ok) return lines;
  if (full === true) return ok({ kind: 'full' });
  if (amount !== undefined) {
    const minor = parseRefundAmount('amount', amount, currency);
    return minor.ok ? ok({ kind: 'amount', amountMinor: minor.value, restock: lines.value }) : minor;
  }
  if (shipping === undefined || shipping === 'full') {
    return ok({ kind: 'lines', lines: lines.value, shipping: shipping ?? 'none' });
  }
  const minor = parseRefundAmount('shipping', shipping, currency);
  return minor.ok ? ok({ kind: 'lines', lines: lines.value, shipping: minor.value }) : minor;
}

/** A positive amount in the order's currency, in minor units. */
export function parseRefundAmount(
  path: string,
  input: AmountInput,
  currency: string,
): Result<number, 'request.invalid' | 'refund.currency_mismatch'> {
  const parsedInput = typeof input === 'string' ? { amount: input, currency } : input;
  if (parsedInput.currency !== currency) {
    return refuse(
      'refund.currency_mismatch',
      `The currency of the order is ${currency}. Send the amount in that currency.`,
    );
  }
  const minor = parseAmount(parsedInput.amount, currency);
  if (minor !== null && minor > 0) return ok(minor);
  const message = `A decimal number above zero as text, such as "12.34", with no more decimals than ${currency} has.`;
  return refuse('request.invalid', `\`${path}\` is not an amount in ${currency}.`, {
    problems: [{ path, code: 'invalid_amount', message }],
  });
}

function parseLines(
  inputs: readonly LineItemInput[],
  restocksOnly: boolean,
): Result<readonly RefundLine[], 'request.invalid'> {
  for (const [at, { id, quantity, restock, locationId }] of inputs.entries()) {
    const path = `line_items.${at}`;
    if (inputs.findIndex((other) => other.id === id) !== at) {
      return invalidLine(`${path}.id`, 'repeated', 'Each line at most once, with its whole quantity.');
    }
    if (!Number.isSafeInteger(quantity) || quantity < 1) {
      return invalidLine(`${path}.quantity`, 'invalid_quantity', 'A whole number above zero.');
    }
    if (locationId !== undefined && !(restock ?? restocksOnly)) {
      return invalidLine(
        `${path}.location_id`,
        'not_restocked',
        'A location is valid only for a line that is restocked.',
      );
    }
  }
  return ok(
    inputs.map(({ id, quantity, restock = restocksOnly, locationId = null }) => ({
      id,
      quantity,
      restock,
      locationId,
    })),
  );
}

export const invalidLine = (path: string, code: Problem['code'], message: string) =>
  refuse('request.invalid', 'A line item is invalid.', {
    problems: [{ path, code, message }],
  });
