import { seededRandom, type FaultKind, type FaultSpec, type Random } from '@switchboard/sandbox';
import { FIRST_MEMBERS } from './key-tree.js';

/** An order as the caller read it: captured immediately, and fully refundable through the store. */
export interface RefundableOrder {
  readonly id: string;
  readonly externalId: string;
  readonly currency: string;
  readonly capturedMinor: number;
  readonly lines: readonly { readonly id: string; readonly quantity: number }[];
  readonly shipped: boolean;
}

/**
 * The requested amount: everything, a share of the captured amount, or one unit of the first line and all of
 * the shipping.
 */
export type PlannedExtent =
  | { readonly kind: 'full' }
  | { readonly kind: 'amount'; readonly amountMinor: number }
  | { readonly kind: 'lines' };

export interface PlannedRequest {
  readonly extent: PlannedExtent;
  /** Null: no key. The same key comes with the same request, except for a few deliberate reuses. */
  readonly key: string | null;
  /** The quote to redeem instead of the request. */
  readonly quote: number | null;
  /** The process that receives the first attempt. */
  readonly process: number;
  /**
   * The key of the tree that sends the request; null: a key without ceilings. An idempotency key or quote is
   * used by one key only.
   */
  readonly holder: number | null;
}

export interface PlannedOrder {
  readonly quotes: readonly PlannedExtent[];
  readonly requests: readonly PlannedRequest[];
  readonly faults: readonly FaultSpec[];
}

/**
 * In three of ten cases the store acts without responding; other cases drop the request or return an
 * unreadable response.
 */
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

/** Taken modulo the current size of the tree. */
const ANY_MEMBER = 1000;

/** The requests for one order and their faults, all derived from the seed. */
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
