import type { Manifest } from '@switchboard/domain/ports';

/** The publishing facts of a store's manifest: none. */
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
