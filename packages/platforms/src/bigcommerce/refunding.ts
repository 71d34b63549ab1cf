import {
  formatAmount,
  money,
  ok,
  quotePlatform,
  refuse,
  type PlatformFailureCode,
  type Refunding,
  type RefundInstruction,
  type Refused,
  type RemoteOrder,
  type RemoteRefund,
  type Result,
  type Session,
} from '@switchboard/domain';
import { ask, unreadable, type Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { marked } from '../kit/mark.js';
import { readRefund } from './read-payments.js';
import { amountOfOrder, everythingOf, shippingOf, unitsOf, type RefundItem } from './refund-items.js';
import { chooseMethod, quoteItems, whyOffline, type Quote } from './refund-quote.js';
import { asInstructed, refundState, undecided } from './refund-state.js';
import { actionsPath, findOrder, listRefundsOf, type StoredOrder } from './stored-order.js';
import { dialect, refundAnswer } from './wire.js';

const REASON_MAX = 1_000;

export const refunding: Refunding = {
  async calculate(session, order, { lines, shippingMinor }) {
    const about = aboutOf(order);
    const shipping = await shippingItems(session, about.orderExternalId, shippingMinor);
    if (!shipping.ok) return shipping;
    const units = unitsOf(lines);
    const all = [...units, ...shipping.value];
    const whole = await comesTo(session, about, all);
    if (!whole.ok) return whole;
    // Shipping is what it adds: on its own it might be rounded another way.
    const [first] =
      units.length === all.length || units.length === 0 ? [whole] : [await comesTo(session, about, units)];
    if (!first.ok) return first;
    const linesMinor = units.length === 0 ? 0 : first.value;
    return ok({ linesMinor, shippingMinor: whole.value - linesMinor });
  },

  async refund(session, instruction) {
    const quoted = await quoteOf(session, instruction);
    if (!quoted.ok) return asRefused(beforeSending(dialect, quoted));
    const payments = chooseMethod(quoted.value, instruction.payments, instruction.currency);
    if (!payments) return noSuchWay(quoted.value);
    const reason = marked(instruction.reference, instruction.reason, instruction.note).slice(0, REASON_MAX);
    const made = await ask(
      session,
      dialect,
      {
        method: 'POST',
        path: `${actionsPath(instruction.orderExternalId)}/refunds`,
        json: { items: quoted.value.items.map((item) => ({ ...item, reason })), payments },
        effect: 'write',
      },
      refundAnswer,
    );
    if (!made.ok) return asRefused(made);
    const { data: wire } = made.value;
    // What is read back tells what became of it: the payments are made later, and this response cannot know their outcome.
    return wire.order_id === instruction.orderExternalId
      ? asInstructed(instruction, undecided(wire))
      : unreadable(dialect, 'write');
  },

  async find(session, instruction) {
    const { orderExternalId, reference, currency } = instruction;
    const listed = await listRefundsOf(session, orderExternalId);
    if (!listed.ok) return listed;
    const ours = listed.value.filter((wire) => readRefund(wire, currency).reference === reference);
    const [wire] = ours;
    if (!wire) return ok(null);
    if (ours.length > 1) {
      return refuse(
        'platform.outcome_unknown',
        'BigCommerce has this refund more than once. Look at the order there.',
      );
    }
    return refundState(session, wire, instruction);
  },
};

interface About {
  readonly orderExternalId: string;
  readonly currency: string;
}
const aboutOf = ({ externalId, currency }: RemoteOrder): About => ({ orderExternalId: externalId, currency });

async function comesTo(session: Session, about: About, items: readonly RefundItem[]): Answer<number> {
  if (items.length === 0) return ok(0);
  const quoted = await quoteItems(session, about, items);
  return quoted.ok ? ok(quoted.value.amountMinor) : quoted;
}

/** Shipping is asked for by address, and before tax where the prices are: for that the order itself is needed. */
async function shippingItems(
  session: Session,
  orderExternalId: string,
  shippingMinor: number,
): Answer<readonly RefundItem[]> {
  if (shippingMinor === 0) return ok([]);
  const stored = await getOrder(session, orderExternalId);
  return stored.ok ? ok(shippingOf(stored.value, shippingMinor)) : stored;
}

async function getOrder(session: Session, orderExternalId: string): Answer<StoredOrder> {
  const found = await findOrder(session, orderExternalId);
  if (!found.ok) return found;
  return found.value
    ? ok(found.value)
    : refuse('platform.refused', 'BigCommerce has no such order any more.');
}

/** A quote that comes to exactly what was promised, or a refusal: nothing has been sent yet. */
async function quoteOf(session: Session, instruction: RefundInstruction): Answer<Quote> {
  const { orderExternalId, kind, amountMinor, currency, lines, shippingMinor } = instruction;
  const ofOrder = amountOfOrder(orderExternalId, money(amountMinor, currency));
  if (kind === 'amount') return exactly(instruction, await quoteItems(session, instruction, ofOrder));
  if (kind === 'lines') {
    const shipping = await shippingItems(session, orderExternalId, shippingMinor);
    if (!shipping.ok) return shipping;
    return exactly(
      instruction,
      await quoteItems(session, instruction, [...unitsOf(lines), ...shipping.value]),
    );
  }
  const stored = await getOrder(session, orderExternalId);
  if (!stored.ok) return stored;
  const items = everythingOf(stored.value, instruction);
  if (items.length > 0) {
    const quoted = await quoteItems(session, instruction, items);
    if (quoted.ok && quoted.value.amountMinor === amountMinor) return quoted;
    if (!quoted.ok && quoted.failure.code !== 'platform.refused') return quoted;
  }
  // After refunds of plain amounts its things come to more than what is left.
  return exactly(instruction, await quoteItems(session, instruction, ofOrder));
}

function exactly(
  { amountMinor, currency }: RefundInstruction,
  quoted: Result<Quote, PlatformFailureCode>,
): Result<Quote, PlatformFailureCode> {
  if (!quoted.ok || quoted.value.amountMinor === amountMinor) return quoted;
  const words = `total_refund_amount: ${formatAmount(money(quoted.value.amountMinor, currency))}`;
  return refuse(
    'platform.refused',
    'BigCommerce would refund another amount for this. Make a new quote, or refund that amount.',
    { platform: quotePlatform(dialect.name, words) },
  );
}

/** A store's no to a refund is the end of it. */
function asRefused(
  refused: Refused<PlatformFailureCode>,
): Result<RemoteRefund, PlatformFailureCode | 'refund.refused'> {
  const { failure } = refused;
  return failure.code === 'platform.refused' ? refuse('refund.refused', failure.message, failure) : refused;
}

function noSuchWay(quote: Quote): Result<RemoteRefund, 'refund.refused'> {
  const why = whyOffline(quote);
  return refuse(
    'refund.refused',
    'BigCommerce offers no way to give this amount back as it was paid. Try another amount or payment, or refund it there.',
    { platform: quotePlatform(dialect.name, why ?? offered(quote)) },
  );
}

const offered = ({ methods }: Quote): string =>
  methods
    .map((options) => options.map(({ provider_id: id, amount }) => `${id} ${Number(amount)}`).join(' + '))
    .join(', ') || 'no refund_methods';
