import { ok, type Session } from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { readableRows } from '../kit/readable-rows.js';
import { allValues } from './all-values.js';
import {
  requestJson,
  payment,
  paymentAnswer,
  paymentList,
  refundAnswer,
  type WireOrder,
  type WirePayment,
  type WireRefund,
} from './wire.js';

/** As many as one list gives. */
const LIST_MAX = 100;
const PAYMENTS_BYTES_MAX = 4 * 1024 * 1024;

interface PaymentReference {
  readonly id: string;
  readonly locationId: string;
  /** What people paid with, in Square's words. */
  readonly type: string;
  readonly at: Date | null;
}

/** The payments that an order names: a tender has the id of its payment, and one of nothing has none. */
export const paymentReferencesOf = (order: WireOrder): readonly PaymentReference[] =>
  (order.tenders ?? []).flatMap(
    ({ id, payment_id: paymentId, type, location_id: locationId, created_at: at }) =>
      type === 'NO_SALE'
        ? []
        : [{ id: paymentId ?? id, locationId: locationId ?? order.location_id, type, at: at ?? null }],
  );

/** What was asked for by id. What Square does not show is in neither. */
export interface LookupResult<One> {
  readonly found: ReadonlyMap<string, One>;
  /** Ids of what Square answered with in a form that cannot be read. */
  readonly unreadable: ReadonlySet<string>;
}
type PaymentsResult = AdapterResult<LookupResult<WirePayment>>;

/** The payments of some orders, every one read alone, as it is at this moment. */
export const findPayments = (session: Session, orders: readonly WireOrder[]): PaymentsResult =>
  findPaymentsById(
    session,
    orders.flatMap(paymentReferencesOf).map(({ id }) => id),
  );

/**
 * The payments of some orders, some of them as they were seconds ago. Those of one location are listed over the time from the
 * first to the last of them, which is one request instead of one for each; what the list does not bring (it lags by seconds,
 * and ends after a hundred) is asked for alone.
 */
export async function listPayments(session: Session, orders: readonly WireOrder[]): PaymentsResult {
  const named = orders.flatMap(paymentReferencesOf);
  const listed = allValues(
    await Promise.all(
      [...Map.groupBy(named, ({ locationId }) => locationId).values()].map((some) =>
        listLocationPayments(session, some),
      ),
    ),
  );
  if (!listed.ok) return listed;
  const requested = new Set(named.map(({ id }) => id));
  const payments = new Map(
    listed.value.flat().flatMap((one) => (requested.has(one.id) ? [[one.id, one] as const] : [])),
  );
  const others = await findPaymentsById(
    session,
    [...requested].filter((id) => !payments.has(id)),
  );
  return others.ok ? ok({ ...others.value, found: new Map([...payments, ...others.value.found]) }) : others;
}

const findPaymentsById = (session: Session, ids: readonly string[]): PaymentsResult =>
  findAllById(session, ids, findPayment);

/** Each by its id; what cannot be read does not fail the others. */
export async function findAllById<One>(
  session: Session,
  ids: readonly string[],
  find: (session: Session, id: string) => AdapterResult<One | null>,
): AdapterResult<LookupResult<One>> {
  const found = new Map<string, One>();
  const unreadable = new Set<string>();
  const answers = await Promise.all(ids.map(async (id) => ({ id, answer: await find(session, id) })));
  for (const { id, answer } of answers) {
    if (answer.ok) {
      if (answer.value !== null) found.set(id, answer.value);
    } else if (answer.failure.code === 'platform.invalid_response') {
      unreadable.add(id);
    } else {
      return answer;
    }
  }
  return ok({ found, unreadable });
}

async function listLocationPayments(
  session: Session,
  named: readonly PaymentReference[],
): AdapterResult<readonly WirePayment[]> {
  const times = named.flatMap(({ at }) => at?.getTime() ?? []);
  const locationId = named[0]?.locationId;
  if (times.length < 2 || locationId === undefined) return ok([]);
  const listed = await requestJson(
    session,
    {
      method: 'GET',
      path: '/v2/payments',
      query: {
        location_id: locationId,
        begin_time: new Date(Math.min(...times)).toISOString(),
        end_time: new Date(Math.max(...times)).toISOString(),
        sort_order: 'ASC',
        limit: LIST_MAX,
      },
      effect: 'read',
      maxBytes: PAYMENTS_BYTES_MAX,
    },
    paymentList,
  );
  // One that cannot be read is asked for alone.
  return listed.ok ? ok(readableRows(listed.value.payments ?? [], payment).rows) : listed;
}

/** Null when there is none with this id. */
export async function findPayment(session: Session, id: string): AdapterResult<WirePayment | null> {
  const found = await requestJson(
    session,
    { method: 'GET', path: `/v2/payments/${encodeURIComponent(id)}`, effect: 'read' },
    paymentAnswer,
    (words) => (words.code === 'NOT_FOUND' ? ok(null) : undefined),
  );
  return found.ok ? ok(found.value && found.value.payment) : found;
}

/** Null when there is none with this id. */
export async function findRefund(session: Session, id: string): AdapterResult<WireRefund | null> {
  const found = await requestJson(
    session,
    { method: 'GET', path: `/v2/refunds/${encodeURIComponent(id)}`, effect: 'read' },
    refundAnswer,
    (words) => (words.code === 'NOT_FOUND' ? ok(null) : undefined),
  );
  return found.ok ? ok(found.value && found.value.refund) : found;
}
