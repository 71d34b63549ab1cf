/** Minor units of the order's own currency, as the simulated store counts. */
export type MinorUnits = number;

const DECIMALS: Readonly<Record<string, number>> = { JPY: 0, KRW: 0, KWD: 3, BHD: 3 };
const decimalsOf = (currency: string) => DECIMALS[currency] ?? 2;

/** Shopify's amount format: at least one decimal, in yen too, without further trailing zeros. */
function formatDecimal(minor: MinorUnits, currency: string): string {
  const digits = (Math.abs(minor) / 10 ** decimalsOf(currency)).toFixed(Math.max(1, decimalsOf(currency)));
  const short = digits.replace(/(\.\d+?)0+$/, '$1');
  return minor < 0 ? `-${short}` : short;
}

/** Null when it is not a decimal number, or has more decimals than the currency. */
export function parseDecimal(text: string, currency: string): MinorUnits | null {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const stored = fraction.replace(/0+$/, '');
  if (whole === '' || stored.length > decimalsOf(currency)) return null;
  return Number(whole + stored.padEnd(decimalsOf(currency), '0'));
}

/**
 * The share of a total for the first `units` of `of`, so that the shares of all units add up to the total.
 */
export const proportionalShare = (total: MinorUnits, units: number, of: number): MinorUnits =>
  of === 0 ? 0 : Math.floor((total * units) / of);

/** In the customer's currency and in the shop's, which has a different value. */
export function moneyBag(minor: MinorUnits, currency: string, shopCurrency: string) {
  const same = currency === shopCurrency;
  const shopMinor = Math.round((minor / 10 ** decimalsOf(currency)) * 1.25 * 10 ** decimalsOf(shopCurrency));
  return {
    presentmentMoney: { amount: formatDecimal(minor, currency), currencyCode: currency },
    shopMoney: { amount: formatDecimal(same ? minor : shopMinor, shopCurrency), currencyCode: shopCurrency },
  };
}
