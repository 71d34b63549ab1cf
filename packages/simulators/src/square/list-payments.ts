import { okResponse, type WireResponse } from '../wire/exchange.js';
import type { MerchantData, Payment } from './model.js';

const LIST_MAX = 100;
const YEAR_MS = 365 * 24 * 60 * 60_000;

/** `ListPayments`: the payments of one location, by default the main one and the last year. */
export function listPayments(
  { payments, past, locations }: MerchantData,
  query: URLSearchParams,
  { now, lagMs }: { readonly now: Date; readonly lagMs: number },
): WireResponse {
  const time = (name: string, usual: number) => {
    const provided = query.get(name);
    return provided === null ? usual : Date.parse(provided);
  };
  const [from, to] = [time('begin_time', now.getTime() - YEAR_MS), time('end_time', now.getTime())];
  const locationId = query.get('location_id') ?? locations[0]?.id;
  const requested = Number(query.get('limit') ?? LIST_MAX);
  /** A payment's state before the changes that the list does not show yet. */
  const shown = (payment: Payment): Payment | undefined =>
    [...(past.get(payment.id) ?? []), payment].findLast(
      ({ updated_at: at }) => Date.parse(at) + lagMs <= now.getTime(),
    );
  const found = [...payments.values()]
    .flatMap((payment) => shown(payment) ?? [])
    .map((payment) => ({ payment, at: Date.parse(payment.created_at) }))
    .filter(({ payment, at }) => payment.location_id === locationId && at >= from && at <= to)
    .sort((one, other) => (one.at - other.at) * (query.get('sort_order') === 'ASC' ? 1 : -1))
    .slice(0, requested > LIST_MAX ? LIST_MAX : requested);
  return okResponse(found.length > 0 ? { payments: found.map(({ payment }) => payment) } : {});
}
