import { ok, type Session } from '@switchboard/platform-kit';
import { nullIfCode, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { readableRows } from '@switchboard/platform-kit/readable-rows';
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

/** The page size of a list. */
const LIST_MAX = 100;
const PAYMENTS_BYTES_MAX = 4 * 1024 * 1024;

interface PaymentReference {
  readonly id: string;
  readonly locationId: string;
  /** The payment method, in Square's terms. */
  readonly type: string;
  readonly at: Date | null;
}

/** The payments that an order names: a tender has the ID of its payment, and one of zero has none. */
export const paymentReferencesOf = (order: WireOrder): readonly PaymentReference[] =>
  (order.tenders ?? []).flatMap(
    ({ id, payment_id: paymentId, type, location_id: locationId, created_at: at }) =>
      type === 'NO_SALE'
        ? []
        : [{ id: paymentId ?? id, locationId: locationId ?? order.location_id, type, at: at ?? null }],
  );

/** The requested objects by ID. What Square does not return is in neither list. */
interface LookupResult<One> {
  readonly found: ReadonlyMap<string, One>;
  /** The IDs of objects that Square returned in an unreadable format. */
  readonly unreadable: ReadonlySet<string>;
}
type PaymentsResult = AdapterResult<LookupResult<WirePayment>>;

/** The payments of some orders, each read separately, in their current state. */
export const findPayments = (session: Session, orders: readonly WireOrder[]): PaymentsResult =>
  findPaymentsById(
    session,
    orders.flatMap(paymentReferencesOf).map(({ id }) => id),
  );

/**
 * The payments of some orders, possibly some seconds old. Those of one location are listed over the time from
 * the first to the last of them, which is one request instead of one for each; payments missing in the list
 * (it lags by seconds, and ends after a hundred) are requested separately.
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

/** Each by its ID; an unreadable one does not fail the others. */
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
      path: '/v2/payments',
      query: {
        location_id: locationId,
        begin_time: new Date(Math.min(...times)).toISOString(),
        end_time: new Date(Math.max(...times)).toISOString(),
        sort_order: 'ASC',
        limit: LIST_MAX,
      },
      maxBytes: PAYMENTS_BYTES_MAX,
    },
    paymentList,
  );
  // An unreadable one is requested separately.
  return listed.ok ? ok(readableRows(listed.value.payments ?? [], payment).rows) : listed;
}

export async function findPayment(session: Session, id: string): AdapterResult<WirePayment | null> {
  const path = `/v2/payments/${encodeURIComponent(id)}`;
  const found = await requestJson(session, path, paymentAnswer, nullIfCode('NOT_FOUND'));
  return found.ok ? ok(found.value && found.value.payment) : found;
}

/** Null if there is none with this ID. */
export async function findRefund(session: Session, id: string): AdapterResult<WireRefund | null> {
  const path = `/v2/refunds/${encodeURIComponent(id)}`;
  const found = await requestJson(session, path, refundAnswer, nullIfCode('NOT_FOUND'));
  return found.ok ? ok(found.value && found.value.refund) : found;
}
