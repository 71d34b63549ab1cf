import type { Order } from './seed-orders.js';
import { financialStatusOf, fulfillmentStatusOf } from './order.js';

type OrderPredicate = (order: Order) => boolean;

/** Shopify ignores an unknown filter and reports it only in the response's `extensions.search`. */
export interface SearchWarning {
  readonly field: string;
  readonly message: string;
  readonly code: 'invalid_field' | 'invalid_syntax';
}

type FieldComparator = (comparator: string, value: string) => OrderPredicate;

const timeField =
  (of: (order: Order) => Date): FieldComparator =>
  (comparator, value) =>
  (order) => {
    const [at, asked] = [of(order).getTime(), Date.parse(value)];
    switch (comparator) {
      case '>':
        return at > asked;
      case '>=':
        return at >= asked;
      case '<':
        return at < asked;
      case '<=':
        return at <= asked;
      default:
        return at === asked;
    }
  };

const textField =
  (of: (order: Order) => string | null): FieldComparator =>
  (_comparator, value) =>
  (order) =>
    of(order)?.toLowerCase() === value.toLowerCase();

const STATUSES: Readonly<Record<string, OrderPredicate>> = {
  open: ({ cancelledAt, closedAt }) => !cancelledAt && !closedAt,
  closed: ({ closedAt }) => closedAt !== null,
  cancelled: ({ cancelledAt }) => cancelledAt !== null,
  not_closed: ({ closedAt }) => closedAt === null,
};

/** The documented filters of `orders` that the store simulates. */
const FIELDS: Readonly<Record<string, FieldComparator>> = {
  created_at: timeField(({ createdAt }) => createdAt),
  updated_at: timeField(({ updatedAt }) => updatedAt),
  financial_status: textField(financialStatusOf),
  fulfillment_status: textField(fulfillmentStatusOf),
  email: textField(({ email }) => email),
  // Users omit the prefix of the number.
  name: (_comparator, value) => (order) => order.name.replace('#', '') === value.replace('#', ''),
  status: (_comparator, value) => STATUSES[value] ?? (() => true),
  test: (_comparator, value) => (order) => String(order.test) === value,
};

const TOKEN =
  /\s*(?:(\()|(\))|((?:[A-Za-z_]+):)?(>=|<=|>|<)?(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|((?:[^\s()'":\\]|\\.)+)))/y;

interface SearchTerm {
  readonly kind: 'term';
  readonly field: string | null;
  readonly comparator: string;
  readonly value: string;
  readonly quoted: boolean;
}
type SearchToken = SearchTerm | { readonly kind: 'open' | 'close' };

/**
 * Shopify's search syntax: terms, an optional `AND`, `OR`, `NOT` or `-`, parentheses, comparators, quotes,
 * escapes.
 */
export function parseOrderSearch(query: string) {
  const warnings: SearchWarning[] = [];
  const tokens = tokensOf(query, warnings);
  let at = 0;
  const isWord = (token: SearchToken | undefined, text: string) =>
    token?.kind === 'term' && !token.quoted && token.field === null && token.value === text;

  function either(): OrderPredicate {
    const parts = [both()];
    while (isWord(tokens[at], 'OR')) {
      at++;
      parts.push(both());
    }
    return (order) => parts.some((fits) => fits(order));
  }
  function both(): OrderPredicate {
    const parts: OrderPredicate[] = [];
    while (at < tokens.length && tokens[at]?.kind !== 'close' && !isWord(tokens[at], 'OR')) {
      if (isWord(tokens[at], 'AND')) at++;
      else parts.push(one());
    }
    return (order) => parts.every((fits) => fits(order));
  }
  function one(): OrderPredicate {
    const token = tokens[at++];
    if (token?.kind === 'open') {
      const inner = either();
      at++;
      return inner;
    }
    if (isWord(token, 'NOT')) {
      const inner = one();
      return (order) => !inner(order);
    }
    return token?.kind === 'term' ? termOf(token, warnings) : () => true;
  }
  return { fits: either(), warnings };
}

function termOf({ field, comparator, value }: SearchTerm, warnings: SearchWarning[]): OrderPredicate {
  if (field === null) return ({ name, email }) => [name, email].some((text) => text?.includes(value));
  const compare = FIELDS[field];
  if (compare) return compare(comparator, value);
  warnings.push({ field, message: 'Invalid search field for this query.', code: 'invalid_field' });
  return () => true;
}

function tokensOf(query: string, warnings: SearchWarning[]): SearchToken[] {
  const tokens: SearchToken[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < query.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const [whole, open, close, field, comparator = '', single, double, bare] = TOKEN.exec(query) ?? [];
    if (whole === undefined) {
      warnings.push({
        field: query.slice(from),
        message: 'The search cannot be parsed.',
        code: 'invalid_syntax',
      });
      return tokens;
    }
    const value = (single ?? double ?? bare ?? '').replace(/\\(.)/g, '$1');
    if (open !== undefined || close !== undefined)
      tokens.push({ kind: open === undefined ? 'close' : 'open' });
    else
      tokens.push({
        kind: 'term',
        field: field?.slice(0, -1) ?? null,
        comparator,
        value,
        quoted: bare === undefined,
      });
  }
  return tokens;
}
