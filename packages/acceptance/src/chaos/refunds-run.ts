import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount } from '@switchboard/domain';
import { seededRandom } from '@switchboard/simulators';
import { eventually } from '../support/eventually.js';
import { object, type JsonObject } from '../support/json.js';
import type { RestAnswer, RestClient } from '../support/rest-client.js';
import {
  judgeCeilings,
  judgeRefunds,
  type Effect,
  type KeptRefund,
  type OrderInTheEnd,
  type Told,
} from './refund-laws.js';
import { planOf, type PlannedRequest, type RefundableOrder, type Wish } from './refunds-plan.js';
import { minorOf, startRefundsStage, type RefundsStage } from './refunds-stage.js';

export interface RefundChaosOptions {
  readonly seed: number;
  readonly orders: number;
  /** How many are asked of each order at once. */
  readonly requests: number;
  readonly processes: number;
  readonly killEveryMs: number;
  /** So many orders are asked for at the same time. */
  readonly ordersAtOnce: number;
  /** Whether what the store may still be at work on is looked at without waiting for it. */
  readonly hurry: boolean;
  readonly stateDir: string;
  readonly say: (line: string) => void;
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
  /** What keys of the tree were answered that asked to resolve refunds as failed, by status or error code. */
  readonly resolutions: Readonly<Record<string, number>>;
  readonly keys: { readonly created: number; readonly rotated: number };
  /** Of the largest ceiling of the tree: what was refunded under it, as a share. */
  readonly ceiling_used: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly seconds_to_settle: number;
  readonly broken: readonly string[];
}

const SETTLE_MAX_MS = 300_000;
const NEXT_PROCESS_MS = 150;
/** Processes that are killed take with them what they had been lent of the key's rate. */
const LATER = ['idempotency.in_progress', 'rate_limit.exceeded'];
const ASK_UNTIL_MS = 90_000;
const RESOLVE_EVERY_MS = 250;

/** Refunds of every kind at once, while the store and the processes fail. Then quiet; then the store's ledger is held against everything that was said. */
export async function runRefundChaos(options: RefundChaosOptions): Promise<RefundChaosOutcome> {
  const { seed, say } = options;
  const beganMs = Date.now();
  const stage = await startRefundsStage(options.stateDir, {
    orders: options.orders,
    processes: options.processes,
    onOutput: options.onOutput ?? (() => undefined),
  });
  try {
    const { orders } = stage;
    if (orders.length < options.orders) throw new Error(`the store has only ${orders.length} orders`);
    say(`${orders.length} orders, ${options.requests} requests for each.`);
    const quiet = new AbortController();
    const counts = { kills: 0 };
    const resolutions: string[] = [];
    const disturbing = [
      killNowAndThen(stage, options, counts, quiet.signal),
      stage.tree.grow(seededRandom(`keys ${seed}`), quiet.signal),
      resolveAsFailed(stage, options, resolutions, quiet.signal),
    ];
    const told: Told[] = [];
    const waiting = [...orders.entries()];
    const caller = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        told.push(...(await askForOrder(stage, options, ...next)));
        if (waiting.length > 0 && waiting.length % 50 === 0) say(`${waiting.length} orders are left.`);
      }
    };
    await Promise.all(Array.from({ length: options.ordersAtOnce }, caller));
    quiet.abort();
    await Promise.all(disturbing);
    stage.sandbox.faults.clear();
    await stage.fleet.complete();
    say('Quiet.');
    const quietMs = Date.now();
    await settle(stage, options).catch((error: Error) => say(error.message));
    const seconds = (fromMs: number) => Math.round((Date.now() - fromMs) / 1000);
    const secondsToSettle = seconds(quietMs);
    const refunds = await keptRefunds(stage);
    const effects = effectsOf(stage);
    const ceilings = judgeCeilings(refunds, effects, stage.tree);
    return {
      seed,
      orders: orders.length,
      requests: told.length,
      effects: effects.length,
      statuses: countBy(refunds, ({ status }) => status),
      answers: countBy(told, ({ status, code, refundStatus }) => code ?? refundStatus ?? String(status)),
      resolutions: countBy(resolutions, (one) => one),
      keys: stage.tree.counts,
      ceiling_used: ceilingUsed(stage.tree, ceilings.movedMinor),
      kills: counts.kills,
      seconds: seconds(beganMs),
      seconds_to_settle: secondsToSettle,
      broken: [...judgeRefunds(told, refunds, effects, await inTheEnd(stage)), ...ceilings.broken],
    };
  } finally {
    await stage.close();
  }
}

async function askForOrder(
  { clients, sandbox, tree }: RefundsStage,
  { seed, requests, processes }: RefundChaosOptions,
  index: number,
  order: RefundableOrder,
): Promise<readonly Told[]> {
  const plan = planOf(seed, index, order, requests, processes);
  const quotes = await Promise.all(
    plan.quotes.map(async (wish) => {
      const answer = await persistently(
        () => clients(),
        index,
        (client) => client.post(`/ecommerce/orders/${order.id}/refund/quote`, bodyOf(order, wish)),
      );
      if (answer?.status !== 200 && answer?.status !== 201) throw new Error(`no quote: ${answer?.text}`);
      return { id: String(answer.json['id']), amountMinor: minorOf(answer.json['amount']) };
    }),
  );
  for (const fault of plan.faults) sandbox.faults.add(fault);
  return Promise.all(
    plan.requests.map(async (request) => {
      const quote = request.quote === null ? undefined : quotes[request.quote];
      const { holder } = request;
      const asHolder = () => clients(holder === null ? undefined : tree.tokenOf(holder));
      const answer = await ask(asHolder, order, request, quote?.id ?? null);
      const askedMinor = request.wish.kind === 'amount' ? request.wish.amountMinor : null;
      return toldOf(order, request, quote?.id ?? null, quote?.amountMinor ?? askedMinor, answer);
    }),
  );
}

/** With a key or a quote as a caller that does not give up, at the next process; without one nobody dares to ask again. */
function ask(
  clients: () => readonly RestClient[],
  order: RefundableOrder,
  { key, wish, process }: PlannedRequest,
  quoteId: string | null,
): Promise<RestAnswer | null> {
  const body = quoteId === null ? bodyOf(order, wish) : { quote_id: quoteId };
  const headers = { prefer: 'wait=5', ...(key !== null && { 'Idempotency-Key': key }) };
  const once = (client: RestClient) => client.post(`/ecommerce/orders/${order.id}/refund`, body, headers);
  if (key === null && quoteId === null) return once(clients()[process] as RestClient).catch(() => null);
  return persistently(clients, process, once);
}

/** `clients` is asked anew each time: a key of the tree may have been rotated. */
async function persistently(
  clients: () => readonly RestClient[],
  first: number,
  once: (client: RestClient) => Promise<RestAnswer>,
): Promise<RestAnswer | null> {
  const untilMs = Date.now() + ASK_UNTIL_MS;
  for (let at = first; Date.now() < untilMs; at += 1) {
    const those = clients();
    const answer = await once(those[at % those.length] as RestClient).catch(() => null);
    if (answer && !LATER.includes(String(answer.json['code']))) return answer;
    await sleep(NEXT_PROCESS_MS);
  }
  return null;
}

function bodyOf(order: RefundableOrder, wish: Wish): JsonObject {
  switch (wish.kind) {
    case 'full':
      return { full: true };
    case 'amount':
      return { amount: formatAmount({ amountMinor: wish.amountMinor, currency: order.currency }) };
    case 'lines':
      return {
        line_items: [{ id: order.lines[0]?.id, quantity: 1 }],
        ...(order.shipped && { shipping: 'full' }),
      };
  }
}

function toldOf(
  { externalId: order }: RefundableOrder,
  { key }: PlannedRequest,
  quoteId: string | null,
  askedMinor: number | null,
  answer: RestAnswer | null,
): Told {
  const json = answer?.json ?? {};
  const made = answer?.status === 201;
  const named = made ? json['id'] : object(json['details'] ?? {})['id'];
  const plain = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    order,
    key,
    quoteId,
    askedMinor,
    status: answer?.status ?? 0,
    code: made ? null : plain(json['code']),
    refundId: plain(named),
    refundStatus: made ? plain(json['status']) : null,
    amountMinor: made ? minorOf(json['amount']) : null,
  };
}

async function killNowAndThen(
  { fleet }: RefundsStage,
  { seed, killEveryMs }: RefundChaosOptions,
  counts: { kills: number },
  quiet: AbortSignal,
): Promise<void> {
  const random = seededRandom(`kills ${seed}`);
  const goesOn = () => sleep(killEveryMs, true, { signal: quiet }).catch(() => false);
  while (await goesOn()) if (fleet.kill(random.pick)) counts.kills += 1;
}

/** Keys of the tree say of refunds in doubt, whether their own or not, that they failed: so that they could be made once more. */
async function resolveAsFailed(
  { database, clients, tree }: RefundsStage,
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
      const words = [code, status].filter((one) => typeof one === 'string');
      answers.push(words[0] ?? 'no answer');
    }
  }
}

/** Of the root's ceilings, by currency and day. */
function ceilingUsed(
  { ceilingsOf }: RefundsStage['tree'],
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

/** The workers bring to its end what they can; what is left is asked for with `recheck`, once. */
async function settle({ database, looker }: RefundsStage, { hurry }: RefundChaosOptions): Promise<void> {
  const open = () =>
    database.rows<{ id: string; status: string }>(`SELECT id, status FROM refunds WHERE ${OPEN}`);
  await eventually(
    'every refund is settled',
    async () => {
      await sleep(500);
      if (hurry) {
        await database.rows(
          `UPDATE refunds SET next_attempt_at = now() - interval '1 second' WHERE status = 'unknown' AND lease_until < now()`,
        );
        for (const { id } of await open()) await looker.post(`/ecommerce/refunds/${id}/recheck`);
      }
      return (await open()).every(({ status }) => status === 'needs_review') ? true : null;
    },
    SETTLE_MAX_MS,
  );
  for (const { id } of await open()) await looker.post(`/ecommerce/refunds/${id}/recheck`);
}

const keptRefunds = ({ database }: RefundsStage): Promise<readonly KeptRefund[]> =>
  database.rows<KeptRefund>(`
    SELECT r.id, r.order_external_id AS order, r.status, r.external_id AS "externalId", r.amount_minor::float8 AS "amountMinor",
      r.idempotency_key AS key, r.quote_id AS "quoteId", r.created_by AS "createdBy", r.currency,
      to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
      ARRAY(SELECT e.type FROM events e WHERE e.data->>'refund_id' = r.id ORDER BY e.id) AS events
    FROM refunds r`);

const effectsOf = ({ sandbox }: RefundsStage): readonly Effect[] =>
  sandbox.ledger.entries({ effect: 'refund.created' }).map((entry) => ({
    id: entry.id,
    reference: entry.reference,
    order: String(entry['order_id']),
    amountMinor: Number(entry['amount']),
  }));

async function inTheEnd({ database, looker, orders }: RefundsStage): Promise<readonly OrderInTheEnd[]> {
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
  const found: OrderInTheEnd[] = [];
  for (const { id, externalId, capturedMinor } of orders) {
    const order = await looker.expect(200, 'GET', `/ecommerce/orders/${id}`);
    const row = ledgers.get(externalId);
    found.push({
      order: externalId,
      capturedMinor,
      shownRefundedMinor: minorOf(object(order['totals'])['refunded']),
      ledger: row
        ? { refundedMinor: row.refunded, reservedMinor: row.reserved, inFlight: row.in_flight !== null }
        : null,
    });
  }
  return found;
}

const countBy = <One>(all: readonly One[], nameOf: (one: One) => string): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(all, nameOf)].map(([name, those]): [string, number] => [name, those.length]).sort(),
  );
