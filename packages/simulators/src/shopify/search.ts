import { financialStatusOf, fulfillmentStatusOf, type Order } from './order-book.js';

type Predicate = (order: Order) => boolean;

/** A filter that Shopify does not know is left out, and it says so only in the answer's `extensions.search`. */
export interface Warning {
  readonly field: string;
  readonly message: string;
  readonly code: 'invalid_field' | 'invalid_syntax';
}

export interface Search {
  readonly fits: Predicate;
  readonly warnings: readonly Warning[];
}

type Compare = (comparator: string, value: string) => Predicate;

const time =
  (of: (order: Order) => Date): Compare =>
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

const word =
  (of: (order: Order) => string | null): Compare =>
  (_comparator, value) =>
  (order) =>
    of(order)?.toLowerCase() === value.toLowerCase();

const STATUSES: Readonly<Record<string, Predicate>> = {
  open: ({ cancelledAt, closedAt }) => !cancelledAt && !closedAt,
  closed: ({ closedAt }) => closedAt !== null,
  cancelled: ({ cancelledAt }) => cancelledAt !== null,
  not_closed: ({ closedAt }) => closedAt === null,
};

/** Those of the documented filters of `orders` that the store simulates. */
const FIELDS: Readonly<Record<string, Compare>> = {
  created_at: time(({ createdAt }) => createdAt),
  updated_at: time(({ updatedAt }) => updatedAt),
  financial_status: word(financialStatusOf),
  fulfillment_status: word(fulfillmentStatusOf),
  email: word(({ email }) => email),
  // People leave out what stands before the number.
  name: (_comparator, value) => (order) => order.name.replace('#', '') === value.replace('#', ''),
  status: (_comparator, value) => STATUSES[value] ?? (() => true),
  test: (_comparator, value) => (order) => String(order.test) === value,
};

const TOKEN =
  /\s*(?:(\()|(\))|((?:[A-Za-z_]+):)?(>=|<=|>|<)?(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|((?:[^\s()'":\\]|\\.)+)))/y;

interface Term {
  readonly kind: 'term';
  readonly field: string | null;
  readonly comparator: string;
  readonly value: string;
  readonly quoted: boolean;
}
type Token = Term | { readonly kind: 'open' | 'close' };

/** Shopify's search syntax: terms, `AND` (which may be left out), `OR`, `NOT` or `-`, brackets, comparators, quotes, escapes. */
export function readSearch(query: string): Search {
  const warnings: Warning[] = [];
  const tokens = tokensOf(query, warnings);
  let at = 0;
  const isWord = (token: Token | undefined, text: string) =>
    token?.kind === 'term' && !token.quoted && token.field === null && token.value === text;

  function either(): Predicate {
    const parts = [both()];
    while (isWord(tokens[at], 'OR')) {
      at++;
      parts.push(both());
    }
    return (order) => parts.some((fits) => fits(order));
  }
  function both(): Predicate {
    const parts: Predicate[] = [];
    while (at < tokens.length && tokens[at]?.kind !== 'close' && !isWord(tokens[at], 'OR')) {
      if (isWord(tokens[at], 'AND')) at++;
      else parts.push(one());
    }
    return (order) => parts.every((fits) => fits(order));
  }
  function one(): Predicate {
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

function termOf({ field, comparator, value }: Term, warnings: Warning[]): Predicate {
  if (field === null) return ({ name, email }) => [name, email].some((text) => text?.includes(value));
  const compare = FIELDS[field];
  if (compare) return compare(comparator, value);
  warnings.push({ field, message: 'Invalid search field for this query.', code: 'invalid_field' });
  return () => true;
}

function tokensOf(query: string, warnings: Warning[]): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < query.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const [whole, open, close, field, comparator = '', single, double, bare] = TOKEN.exec(query) ?? [];
    if (whole === undefined) {
      warnings.push({
        field: query.slice(from),
        message: 'This cannot be read as a search.',
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
