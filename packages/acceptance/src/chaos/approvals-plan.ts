import { seededRandom, type Random } from '@switchboard/sandbox';

/** What one caller does to a post or a refund that waits. Only posts are edited, cancelled and retried. */
export type PlannedAct =
  | { readonly kind: 'decide'; readonly verb: 'approve' | 'reject'; readonly decider: number }
  /** By the requesting key or by its child: it must never succeed. */
  | { readonly kind: 'decide alone'; readonly by: 'requester' | 'child' }
  /** A part is the first of two deliveries. */
  | { readonly kind: 'edit' | 'cancel' | 'cancel a part' | 'retry' | 'request again' };

export interface PlannedCaller {
  /** The process that receives the first attempt. */
  readonly process: number;
  readonly afterMs: number;
  readonly acts: readonly PlannedAct[];
}

export interface PlannedSubject {
  readonly kind: 'post' | 'refund';
  readonly process: number;
  /** Whether its approvals expire while the callers act. */
  readonly expires: boolean;
  /** Posts: the time until it is due, and whether it has two deliveries. */
  readonly dueInMs: number;
  readonly hasTwoDeliveries: boolean;
  /** Refunds: the share of the captured amount. */
  readonly percent: number;
  readonly callers: readonly PlannedCaller[];
}

/** The time after which an approval expires that is planned to. */
export const EXPIRY_MS = 1200;
export const DECIDERS = 3;

/** Everything that happens to one post or refund, derived from the seed. Every other one is a refund. */
export function createApprovalPlan(seed: number, index: number, processes: number): PlannedSubject {
  const random = seededRandom(`approvals ${seed} ${index}`);
  const kind = index % 2 === 0 ? 'post' : 'refund';
  const expires = random.chance(0.3);
  return {
    kind,
    process: random.int(0, processes - 1),
    expires,
    dueInMs: random.chance(0.5) ? 0 : random.int(500, 3000),
    hasTwoDeliveries: random.chance(0.4),
    percent: random.int(10, 70),
    callers: Array.from({ length: random.int(2, 5) }, () => ({
      process: random.int(0, processes - 1),
      // At once, or around the expiry.
      afterMs: expires && random.chance(0.5) ? EXPIRY_MS + random.int(-60, 60) : random.int(0, 60),
      acts: Array.from({ length: random.int(1, 2) }, () => pickAct(random, kind)),
    })),
  };
}

function pickAct(random: Random, kind: PlannedSubject['kind']): PlannedAct {
  const picked = random.pickWeighted([
    [6, 'approve'],
    [3, 'reject'],
    [1, 'decide alone'],
    ...(kind === 'post'
      ? ([
          [4, 'edit'],
          [1, 'cancel'],
          [1, 'cancel a part'],
          [1, 'retry'],
        ] as const)
      : ([[1, 'request again']] as const)),
  ] as const);
  switch (picked) {
    case 'approve':
    case 'reject':
      return { kind: 'decide', verb: picked, decider: random.int(0, DECIDERS - 1) };
    case 'decide alone':
      return { kind: picked, by: random.pick(['requester', 'child'] as const) };
    default:
      return { kind: picked };
  }
}
