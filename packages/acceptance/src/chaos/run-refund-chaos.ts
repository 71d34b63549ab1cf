import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount } from '@switchboard/domain';
import { seededRandom } from '@switchboard/sandbox';
import { eventually } from '../support/eventually.js';
import { asObject, type JsonObject } from '../support/json.js';
import type { RestResponse, RestClient } from '../support/rest-client.js';
import { countBy } from './count-by.js';
import {
  checkCeilings,
  checkRefundInvariants,
  type RefundEffect,
  type RecordedRefund,
  type FinalOrder,
  type RefundResponse,
} from './refund-invariants.js';
import {
  createRefundPlan,
  type PlannedRequest,
  type RefundableOrder,
  type PlannedExtent,
} from './refunds-plan.js';
import {
  parseMinor,
  startRefundChaosEnvironment,
  type RefundChaosEnvironment,
} from './start-refund-chaos-environment.js';

export interface RefundChaosOptions {
  readonly seed: number;
  readonly orders: number;
  /** Concurrent requests per order. */
  readonly requests: number;
  readonly processes: number;
  readonly killEveryMs: number;
  /** Orders processed concurrently. */
  readonly ordersAtOnce: number;
  /** Whether refunds that the store may still process are looked up without waiting. */
  readonly skipsWaiting: boolean;
  readonly stateDir: string;
  readonly log: (line: string) => void;
  readonly onOutput?: (text: string) => void;
}

export interface RefundChaosOutcome {
  readonly seed: number;
  readonly orders: number;
  readonly requests: number;
  readonly effects: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly kills: number;
  /** Responses to keys of the tree that resolved refunds as failed, by status or error code. */
  readonly resolutions: Readonly<Record<string, number>>;
  readonly keys: { readonly created: number; readonly rotated: number };
  /** The amount refunded under the largest ceiling of the tree, as a share of that ceiling. */
  readonly ceiling_used: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly seconds_to_settle: number;
  readonly broken: readonly string[];
}

const SETTLE_MAX_MS = 300_000;
const RETRY_PAUSE_MS = 150;
/** A killed process takes its leased share of the key's rate limit with it. */
const RETRYABLE_CODES = ['idempotency.in_progress', 'rate_limit.exceeded'];
const RETRY_UNTIL_MS = 90_000;
const RESOLVE_EVERY_MS = 250;

/**
 * Requests refunds of every kind concurrently while the store and the processes fail. Then stops the faults
 * and compares the store's ledger with every response.
 */
export async function runRefundChaos(options: RefundChaosOptions): Promise<RefundChaosOutcome> {
  const { seed, log } = options;
  const startedMs = Date.now();
  const environment = await startRefundChaosEnvironment(options.stateDir, {
    orders: options.orders,
    processes: options.processes,
    onOutput: options.onOutput ?? (() => undefined),
  });
  try {
    const { orders } = environment;
    if (orders.length < options.orders) throw new Error(`the store has only ${orders.length} orders`);
    log(`${orders.length} orders, ${options.requests} requests for each.`);
    const quiet = new AbortController();
    const counts = { kills: 0 };
    const resolutions: string[] = [];
    const disturbances = [
      killPeriodically(environment, options, counts, quiet.signal),
      environment.tree.grow(seededRandom(`keys ${seed}`), quiet.signal),
      resolveAsFailed(environment, options, resolutions, quiet.signal),
    ];
    const responses: RefundResponse[] = [];
    const waiting = [...orders.entries()];
    const caller = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        responses.push(...(await requestRefundsForOrder(environment, options, ...next)));
        if (waiting.length > 0 && waiting.length % 50 === 0) log(`${waiting.length} orders left.`);
      }
    };
    await Promise.all(Array.from({ length: options.ordersAtOnce }, caller));
    quiet.abort();
    await Promise.all(disturbances);
    environment.sandbox.faults.clear();
    await environment.fleet.waitUntilRunning();
    log('Quiet.');
    const quietMs = Date.now();
    await waitUntilSettled(environment, options).catch((error: Error) => log(error.message));
    const seconds = (fromMs: number) => Math.round((Date.now() - fromMs) / 1000);
    const secondsToSettle = seconds(quietMs);
    const refunds = await readRecordedRefunds(environment);
    const effects = readEffects(environment);
    const ceilings = checkCeilings(refunds, effects, environment.tree);
    return {
      seed,
      orders: orders.length,
      requests: responses.length,
      effects: effects.length,
      statuses: countBy(refunds, ({ status }) => status),
      answers: countBy(responses, ({ status, code, refundStatus }) => code ?? refundStatus ?? String(status)),
      resolutions: countBy(resolutions, (one) => one),
      keys: environment.tree.counts,
      ceiling_used: computeCeilingUsage(environment.tree, ceilings.movedMinor),
      kills: counts.kills,
      seconds: seconds(startedMs),
      seconds_to_settle: secondsToSettle,
      broken: [
        ...checkRefundInvariants(responses, refunds, effects, await readFinalOrders(environment)),
        ...ceilings.broken,
      ],
    };
  } finally {
    await environment.close();
  }
}

async function requestRefundsForOrder(
  { clients, sandbox, tree }: RefundChaosEnvironment,
  { seed, requests, processes }: RefundChaosOptions,
  index: number,
  order: RefundableOrder,
): Promise<readonly RefundResponse[]> {
  const plan = createRefundPlan(seed, index, order, requests, processes);
  const quotes = await Promise.all(
    plan.quotes.map(async (extent) => {
      const answer = await retryAcrossProcesses(
        () => clients(),
        index,
        (client) =>
          client.post(`/ecommerce/orders/${order.id}/refund/quote`, createRefundBody(order, extent)),
      );
      if (answer?.status !== 200 && answer?.status !== 201) throw new Error(`no quote: ${answer?.text}`);
      return { id: String(answer.json['id']), amountMinor: parseMinor(answer.json['amount']) };
    }),
  );
  for (const fault of plan.faults) sandbox.faults.add(fault);
  return Promise.all(
    plan.requests.map(async (request) => {
      const quote = request.quote === null ? undefined : quotes[request.quote];
      const { holder } = request;
      const clientsOfHolder = () => clients(holder === null ? undefined : tree.tokenOf(holder));
      const answer = await requestRefund(clientsOfHolder, order, request, quote?.id ?? null);
      const requestedMinor = request.extent.kind === 'amount' ? request.extent.amountMinor : null;
      return toRefundResponse(
        order,
        request,
        quote?.id ?? null,
        quote?.amountMinor ?? requestedMinor,
        answer,
      );
    }),
  );
}

/**
 * A client that retries with its key or quote at the next process; without a key or quote it does not retry.
 */
function requestRefund(
  clients: () => readonly RestClient[],
  order: RefundableOrder,
  { key, extent, process }: PlannedRequest,
  quoteId: string | null,
): Promise<RestResponse | null> {
  const body = quoteId === null ? createRefundBody(order, extent) : { quote_id: quoteId };
  const headers = { prefer: 'wait=5', ...(key !== null && { 'Idempotency-Key': key }) };
  const sendOnce = (client: RestClient) => client.post(`/ecommerce/orders/${order.id}/refund`, body, headers);
  if (key === null && quoteId === null) return sendOnce(clients()[process] as RestClient).catch(() => null);
  return retryAcrossProcesses(clients, process, sendOnce);
}

/** `clients` is evaluated for each attempt because a key of the tree may have been rotated. */
async function retryAcrossProcesses(
  clients: () => readonly RestClient[],
  first: number,
  once: (client: RestClient) => Promise<RestResponse>,
): Promise<RestResponse | null> {
  const untilMs = Date.now() + RETRY_UNTIL_MS;
  for (let at = first; Date.now() < untilMs; at += 1) {
    const available = clients();
    const answer = await once(available[at % available.length] as RestClient).catch(() => null);
    if (answer && !RETRYABLE_CODES.includes(String(answer.json['code']))) return answer;
    await sleep(RETRY_PAUSE_MS);
  }
  return null;
}

function createRefundBody(order: RefundableOrder, extent: PlannedExtent): JsonObject {
  switch (extent.kind) {
    case 'full':
      return { full: true };
    case 'amount':
      return { amount: formatAmount({ amountMinor: extent.amountMinor, currency: order.currency }) };
    case 'lines':
      return {
        line_items: [{ id: order.lines[0]?.id, quantity: 1 }],
        ...(order.shipped && { shipping: 'full' }),
      };
  }
}

function toRefundResponse(
  { externalId: order }: RefundableOrder,
  { key }: PlannedRequest,
  quoteId: string | null,
  askedMinor: number | null,
  answer: RestResponse | null,
): RefundResponse {
  const json = answer?.json ?? {};
  const isCreated = answer?.status === 201;
  const refundId = isCreated ? json['id'] : asObject(json['details'] ?? {})['id'];
  const toStringOrNull = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    order,
    key,
    quoteId,
    requestedMinor: askedMinor,
    status: answer?.status ?? 0,
    code: isCreated ? null : toStringOrNull(json['code']),
    refundId: toStringOrNull(refundId),
    refundStatus: isCreated ? toStringOrNull(json['status']) : null,
    amountMinor: isCreated ? parseMinor(json['amount']) : null,
  };
}

async function killPeriodically(
  { fleet }: RefundChaosEnvironment,
  { seed, killEveryMs }: RefundChaosOptions,
  counts: { kills: number },
  quiet: AbortSignal,
): Promise<void> {
  const random = seededRandom(`kills ${seed}`);
  const waitUnlessQuiet = () => sleep(killEveryMs, true, { signal: quiet }).catch(() => false);
  while (await waitUnlessQuiet()) if (fleet.kill(random.pick)) counts.kills += 1;
}

/**
 * Keys of the tree resolve unknown refunds, their own or others', as failed, so that an incorrect second
 * refund would be possible.
 */
async function resolveAsFailed(
  { database, clients, tree }: RefundChaosEnvironment,
  { seed }: RefundChaosOptions,
  answers: string[],
  quiet: AbortSignal,
): Promise<void> {
  const random = seededRandom(`resolutions ${seed}`);
  while (await sleep(RESOLVE_EVERY_MS, true, { signal: quiet }).catch(() => false)) {
    const inDoubt = await database.rows<{ id: string }>(
      `SELECT id FROM refunds WHERE ${OPEN} ORDER BY random() LIMIT 1`,
    );
    for (const { id } of inDoubt) {
      const client = random.pick(clients(tree.tokenOf(random.int(0, tree.size() - 1))));
      const body = { outcome: 'failed', note: 'It is not in the store.' };
      const answer = await client.post(`/ecommerce/refunds/${id}/resolve`, body).catch(() => null);
      const { code, status } = answer?.json ?? {};
      const outcomes = [code, status].filter((one) => typeof one === 'string');
      answers.push(outcomes[0] ?? 'no response');
    }
  }
}

/** Consumption of the root's ceilings, by currency and day. */
function computeCeilingUsage(
  { ceilingsOf }: RefundChaosEnvironment['tree'],
  movedMinor: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const [root = ''] = ceilingsOf.keys();
  return Object.fromEntries(
    Object.entries(movedMinor).flatMap(([name, minor]): [string, number][] => {
      const [lineage, currency = '', day] = name.split(' ');
      const ceiling = ceilingsOf.get(root)?.get(currency);
      return lineage === root && ceiling
        ? [[`${currency} ${day}`, Number((minor / ceiling).toFixed(3))]]
        : [];
    }),
  );
}

const OPEN = `status IN ('pending', 'unknown', 'needs_review')`;

/** Lets the workers settle what they can; requests one `recheck` for each remaining refund. */
async function waitUntilSettled(
  { database, observer }: RefundChaosEnvironment,
  { skipsWaiting }: RefundChaosOptions,
): Promise<void> {
  const open = () =>
    database.rows<{ id: string; status: string }>(`SELECT id, status FROM refunds WHERE ${OPEN}`);
  await eventually(
    'every refund is settled',
    async () => {
      await sleep(500);
      if (skipsWaiting) {
        await database.rows(
          `UPDATE refunds SET next_attempt_at = now() - interval '1 second' WHERE status = 'unknown' AND lease_until < now()`,
        );
        for (const { id } of await open()) await observer.post(`/ecommerce/refunds/${id}/recheck`);
      }
      return (await open()).every(({ status }) => status === 'needs_review') ? true : null;
    },
    SETTLE_MAX_MS,
  );
  for (const { id } of await open()) await observer.post(`/ecommerce/refunds/${id}/recheck`);
}

const readRecordedRefunds = ({ database }: RefundChaosEnvironment): Promise<readonly RecordedRefund[]> =>
  database.rows<RecordedRefund>(`
    SELECT r.id, r.order_external_id AS order, r.status, r.external_id AS "externalId", r.amount_minor::float8 AS "amountMinor",
      r.idempotency_key AS key, r.quote_id AS "quoteId", r.created_by AS "createdBy", r.currency,
      to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
      ARRAY(SELECT e.type FROM events e WHERE e.data->>'refund_id' = r.id ORDER BY e.id) AS events
    FROM refunds r`);

const readEffects = ({ sandbox }: RefundChaosEnvironment): readonly RefundEffect[] =>
  sandbox.ledger.entries({ effect: 'refund.created' }).map((entry) => ({
    id: entry.id,
    reference: entry.reference,
    order: String(entry['order_id']),
    amountMinor: Number(entry['amount']),
  }));

async function readFinalOrders({
  database,
  observer,
  orders,
}: RefundChaosEnvironment): Promise<readonly FinalOrder[]> {
  const rows = await database.rows<{
    order: string;
    refunded: number;
    reserved: number;
    in_flight: string | null;
  }>(
    `SELECT order_external_id AS order, refunded_minor::float8 AS refunded, reserved_minor::float8 AS reserved, in_flight
     FROM refund_ledgers`,
  );
  const ledgers = new Map(rows.map((row) => [row.order, row]));
  const found: FinalOrder[] = [];
  for (const { id, externalId, capturedMinor } of orders) {
    const order = await observer.expect(200, 'GET', `/ecommerce/orders/${id}`);
    const row = ledgers.get(externalId);
    found.push({
      order: externalId,
      capturedMinor,
      shownRefundedMinor: parseMinor(asObject(order['totals'])['refunded']),
      ledger: row
        ? { refundedMinor: row.refunded, reservedMinor: row.reserved, inFlight: row.in_flight !== null }
        : null,
    });
  }
  return found;
}
