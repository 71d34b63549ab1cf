import { seededRandom, type FaultSpec } from '@switchboard/sandbox';
import { FAULT_KINDS, type FaultKind } from '@switchboard/simulators';

/** How an effect can be found again: by our reference, by listing the account's posts, or not at all. */
export type ReadBack = 'reference' | 'listing' | 'none';

export interface ChaosAccount {
  /** The simulator's ID of the account. */
  readonly id: string;
  readonly platform: 'sandbox_social' | 'mastodon';
  readonly readBack: ReadBack;
}

/** A fault that the sandbox and the test doubles have in common. */
export type PostFault = FaultSpec & { readonly kind: FaultKind };

export interface PlannedPost {
  readonly index: number;
  readonly text: string;
  readonly account: ChaosAccount;
  /** Null: no fault is injected. */
  readonly fault: PostFault | null;
}

export const UNREADABLE_ACCOUNT = 'tidal-museum';
const referenceAccounts = ['maren-holt', 'lumen-coffee'].map((id): ChaosAccount => ({
  id,
  platform: 'sandbox_social',
  readBack: 'reference',
}));
const unreadableAccount: ChaosAccount = {
  id: UNREADABLE_ACCOUNT,
  platform: 'sandbox_social',
  readBack: 'none',
};
export const LISTING_ACCOUNTS = ['alice', 'bob'].map(
  (username, index): ChaosAccount & { username: string } => ({
    id: `10900000000000000${index + 1}`,
    platform: 'mastodon',
    readBack: 'listing',
    username,
  }),
);

/** Every fault that can be injected into a post request at any of the platforms. */
/** Of these, a platform rejects the post or it is published: no outcome is left to chance. */
const DEFINITE: readonly FaultKind[] = ['403', 'strange-words'];
const postFaults: readonly (FaultKind | null)[] = [
  null,
  ...FAULT_KINDS.filter((kind) => !DEFINITE.includes(kind)),
];
const readFaults = ['500-before', 'hang', 'reset-before-effect', '429', 'garbage', '2xx-truncated'] as const;

/** The posts, their accounts and their faults, all derived from the seed. */
export function createPlan(seed: number, count: number) {
  const random = seededRandom(`chaos ${seed}`);
  const posts = Array.from({ length: count }, (_, index): PlannedPost => {
    // Reading back by listing takes many requests, so such platforms receive fewer posts.
    const account = random.pickWeighted<ChaosAccount>([
      ...referenceAccounts.map((one) => [8, one] as const),
      [2, unreadableAccount],
      ...LISTING_ACCOUNTS.map((one) => [1, one] as const),
    ]);
    const marker = `#${seed}.${index}#`;
    const kind = random.pick(postFaults);
    const path_prefix = account.platform === 'mastodon' ? '/api/v1/statuses' : '/api/posts';
    const fault = kind && {
      platform: 'social' as const,
      kind,
      times: random.chance(0.2) ? 2 : 1,
      match: { method: 'POST', path_prefix, body: marker },
      delay_ms: kind === 'slow-drip' ? random.pick([10, 250]) : random.int(200, 3000),
      retry_after: random.int(1, 5),
    };
    return { index, text: `Chaos ${marker}`, account, fault };
  });
  const reads = Array.from({ length: Math.ceil(count / 10) }, (): FaultSpec => ({
    platform: 'social',
    kind: random.pick(readFaults),
    match: { method: 'GET', path_prefix: '/api/posts' },
    after: random.int(0, count),
    retry_after: random.int(1, 5),
  }));
  const listingFault: FaultSpec = {
    platform: 'social',
    kind: '403',
    times: null,
    match: { method: 'GET', path_prefix: '/api/posts', account: UNREADABLE_ACCOUNT },
  };
  return { posts, faults: [listingFault, ...reads], random };
}
