import { seededRandom, type FaultKind, type FaultSpec, type Random } from '@switchboard/simulators';
import { FIRST_MEMBERS } from './key-tree.js';

/** An order as the caller has read it: paid at once, and the store can send all of it back. */
export interface RefundableOrder {
  readonly id: string;
  readonly externalId: string;
  readonly currency: string;
  readonly capturedMinor: number;
  readonly lines: readonly { readonly id: string; readonly quantity: number }[];
  readonly shipped: boolean;
}

/** What is wanted of an order: everything, a share of what was captured, or one of the first thing and all of the shipping. */
export type PlannedExtent =
  | { readonly kind: 'full' }
  | { readonly kind: 'amount'; readonly amountMinor: number }
  | { readonly kind: 'lines' };

export interface PlannedRequest {
  readonly extent: PlannedExtent;
  /** Null: without one. The same key comes with the same wish, but for a few that are reused. */
  readonly key: string | null;
  /** Which of the order's quotes is redeemed, in place of the wish. */
  readonly quote: number | null;
  /** Which process is asked first. */
  readonly process: number;
  /** Which key of the tree asks; null: a key without ceilings. One idempotency key or quote comes from one key only. */
  readonly holder: number | null;
}

export interface PlannedOrder {
  readonly quotes: readonly PlannedExtent[];
  readonly requests: readonly PlannedRequest[];
  readonly faults: readonly FaultSpec[];
}

/** Three of ten stores act and do not say so; others lose the request, or answer what nobody can read. */
const FAULTS: readonly (readonly [number, FaultKind | null])[] = [
  [30, 'reset-after-effect'],
  [8, 'reset-before-effect'],
  [8, '2xx-truncated'],
  [8, '500-after'],
  [4, '2xx-no-id'],
  [4, 'garbage'],
  [4, '500-before'],
  [4, '429'],
  [30, null],
];
const READ_FAULTS = ['500-before', 'reset-before-effect', '429', 'garbage', '2xx-truncated'] as const;

/** Taken modulo the size that the tree then has. */
const ANY_MEMBER = 1000;

/** What is asked of one order, and what goes wrong with it there: all of it follows from the seed. */
export function createRefundPlan(
  seed: number,
  index: number,
  order: Pick<RefundableOrder, 'externalId' | 'capturedMinor'>,
  requests: number,
  processes: number,
): PlannedOrder {
  const random = seededRandom(`refunds ${seed} ${index}`);
  const extent = () => pickExtent(random, order.capturedMinor);
  const quotes = Array.from({ length: random.int(0, 3) }, extent);
  const holder = (members: number) => (random.chance(0.5) ? random.int(0, members - 1) : null);
  const keys = Array.from({ length: random.int(1, 5) }, (_, at) => ({
    key: `${seed}.${index}.${at}`,
    extent: extent(),
    holder: holder(FIRST_MEMBERS),
  }));
  const path = `/api/orders/${order.externalId}`;
  const kind = random.pickWeighted(FAULTS);
  return {
    quotes,
    requests: Array.from({ length: requests }, (): PlannedRequest => {
      const process = random.int(0, processes - 1);
      if (quotes.length > 0 && random.chance(0.3)) {
        const quote = random.int(0, quotes.length - 1);
        return { extent: { kind: 'full' }, key: null, quote, process, holder: null };
      }
      if (random.chance(0.25))
        return { extent: extent(), key: null, quote: null, process, holder: holder(ANY_MEMBER) };
      const known = random.pick(keys);
      return { ...known, extent: random.chance(0.06) ? extent() : known.extent, quote: null, process };
    }),
    faults: [
      ...(kind
        ? [fault(kind, { times: random.int(1, 2), match: { method: 'POST', path_prefix: path } })]
        : []),
      ...(random.chance(0.25)
        ? [
            fault(random.pick(READ_FAULTS), {
              after: random.int(0, 30),
              match: { method: 'GET', path_prefix: path },
            }),
          ]
        : []),
    ],
  };
}

const fault = (kind: FaultKind, more: Partial<FaultSpec>): FaultSpec => ({
  platform: 'store',
  kind,
  retry_after: 1,
  ...more,
});

function pickExtent(random: Random, capturedMinor: number): PlannedExtent {
  const kind = random.pickWeighted([
    [3, 'full'],
    [5, 'amount'],
    [3, 'lines'],
  ] as const);
  if (kind !== 'amount') return { kind };
  return { kind, amountMinor: Math.max(1, Math.floor((capturedMinor * random.int(10, 70)) / 100)) };
}
