import type { Manifest } from '@switchboard/domain';

/** What a store's manifest says of publishing: nothing. */
export const storeOnly = {
  text: null,
  media: null,
  title: null,
  thread: false,
  firstComment: null,
  linkCards: false,
  options: [],
  metrics: [],
} as const satisfies Partial<Manifest>;
