import { FAULT_KINDS, seededRandom, type FaultKind, type FaultOrder } from '@switchboard/simulators';

/** How what was sent can be found again: by our reference, by looking through the account's posts, or not at all. */
export type ReadBack = 'reference' | 'listing' | 'none';

export interface Account {
  /** The simulator's own id of it. */
  readonly id: string;
  readonly platform: 'sandbox_social' | 'mastodon';
  readonly readBack: ReadBack;
}

export interface PlannedPost {
  readonly index: number;
  readonly text: string;
  readonly account: Account;
  /** Null: nothing goes wrong at the platform. */
  readonly fault: FaultOrder | null;
}

export const SILENT_ACCOUNT = 'tidal-museum';
const byReference = ['maren-holt', 'lumen-coffee'].map((id): Account => ({
  id,
  platform: 'sandbox_social',
  readBack: 'reference',
}));
const silent: Account = { id: SILENT_ACCOUNT, platform: 'sandbox_social', readBack: 'none' };
export const LISTING_ACCOUNTS = ['alice', 'bob'].map((username, index): Account & { username: string } => ({
  id: `10900000000000000${index + 1}`,
  platform: 'mastodon',
  readBack: 'listing',
  username,
}));

/** A refusal, of which there is nothing to doubt, and an answer that says it otherwise. */
const harmless: readonly FaultKind[] = ['403', 'strange-words'];
/** Everything that can happen to a request for a post. */
const faultsOfPosts: readonly (FaultKind | null)[] = [
  null,
  ...FAULT_KINDS.filter((kind) => !harmless.includes(kind)),
];
const faultsOfReads = [
  '500-before',
  'hang',
  'reset-before-effect',
  '429',
  'garbage',
  '2xx-truncated',
] as const;

/** What is posted where, and what goes wrong with it: all of it follows from the seed. */
export function planOf(seed: number, count: number) {
  const random = seededRandom(`chaos ${seed}`);
  const posts = Array.from({ length: count }, (_, index): PlannedPost => {
    // A platform that has to be looked through answers many requests for one look: it gets fewer posts.
    const account = random.pickWeighted<Account>([
      ...byReference.map((one) => [8, one] as const),
      [2, silent],
      ...LISTING_ACCOUNTS.map((one) => [1, one] as const),
    ]);
    const mark = `#${seed}.${index}#`;
    const kind = random.pick(faultsOfPosts);
    const path_prefix = account.platform === 'mastodon' ? '/api/v1/statuses' : '/api/posts';
    const fault = kind && {
      platform: 'social' as const,
      kind,
      times: random.chance(0.2) ? 2 : 1,
      match: { method: 'POST', path_prefix, body: mark },
      delay_ms: kind === 'slow-drip' ? random.pick([10, 250]) : random.int(200, 3000),
      retry_after: random.int(1, 5),
    };
    return { index, text: `Chaos ${mark}`, account, fault };
  });
  const reads = Array.from({ length: Math.ceil(count / 10) }, (): FaultOrder => ({
    platform: 'social',
    kind: random.pick(faultsOfReads),
    match: { method: 'GET', path_prefix: '/api/posts' },
    after: random.int(0, count),
    retry_after: random.int(1, 5),
  }));
  const forbidden: FaultOrder = {
    platform: 'social',
    kind: '403',
    times: null,
    match: { method: 'GET', path_prefix: '/api/posts', account: SILENT_ACCOUNT },
  };
  return { posts, faults: [forbidden, ...reads], random };
}
