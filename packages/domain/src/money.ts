/** An amount in the currency's smallest unit. Always an integer that a double represents exactly. */
export interface Money {
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

/**
 * ISO 4217 list one (2026-01): every currency has two decimals except these. `Intl` is not used because its
 * data follows cash usage.
 */
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
]);
/** `Intl` omits units of account, but includes recently retired currencies, which older orders still use. */
const KNOWN = new Set([
  ...Intl.supportedValuesOf('currency'),
  ...'BOV CHE CHW CLF COU MXV USN UYI UYW VED'.split(' '),
]);

export const isCurrency = (text: string): boolean => KNOWN.has(text);

export const decimalsOf = (currency: string): number => DECIMALS.get(currency) ?? 2;

export const money = (amountMinor: number, currency: string): Money => {
  if (!Number.isSafeInteger(amountMinor)) throw new Error(`not an amount in minor units: ${amountMinor}`);
  return { amountMinor, currency };
};

/**
 * "12.34" → 1234 for EUR; null when it is not a plain decimal, has more decimals than the currency, or is too
 * large.
 */
export function parseAmount(text: string, currency: string): number | null {
  const match = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(text);
  if (!match) return null;
  const decimals = decimalsOf(currency);
  const fraction = match[2] ?? '';
  if (fraction.length > decimals) return null;
  const minor = Number(`${match[1]}${fraction.padEnd(decimals, '0')}`);
  return Number.isSafeInteger(minor) ? minor : null;
}

/** Formats exactly the currency's decimals: 1234 EUR → "12.34", 1234 JPY → "1234". */
export function formatAmount({ amountMinor, currency }: Money): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amountMinor)).padStart(decimals + 1, '0');
  const sign = amountMinor < 0 ? '-' : '';
  return decimals === 0
    ? `${sign}${digits}`
    : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
