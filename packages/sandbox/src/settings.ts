import type { Journal } from './journal.js';

/** Behavior that persists until it is changed, unlike a fault, which is consumed. Named as on the wire. */
const DEFAULTS = {
  access_token_seconds: 3600,
  posts_per_day: 10_000,
  post_url_after_seconds: 0,
  refresh_tokens: 'rotating' as 'rotating' | 'fixed' | 'none',
  lax_over_refund: false as boolean,
  lax_window_ms: 150,
  refund_settle_seconds: 0,
  refund_settle_outcome: 'succeeded' as 'succeeded' | 'failed',
};
export type Settings = Readonly<typeof DEFAULTS>;

const CHOICES: Partial<Record<string, readonly unknown[]>> = {
  refresh_tokens: ['rotating', 'fixed', 'none'],
  lax_over_refund: [true, false],
  refund_settle_outcome: ['succeeded', 'failed'],
};

/** A setting without choices is a whole number. */
const accepts = (field: string, value: unknown) =>
  field in DEFAULTS &&
  (CHOICES[field]?.includes(value) ?? (Number.isSafeInteger(value) && (value as number) >= 0));

export function createSettingsStore(journal: Journal) {
  const stored = journal.collection<Partial<Settings>>('settings');
  const current = (): Settings => ({ ...DEFAULTS, ...stored.get('current') });
  return {
    current,
    /** The name of the first field with an invalid value, or `undefined` when all were applied. */
    change(requested: Readonly<Record<string, unknown>>): string | undefined {
      const wrong = Object.keys(requested).find((field) => !accepts(field, requested[field]));
      if (wrong === undefined) stored.set('current', { ...current(), ...requested });
      return wrong;
    },
  };
}
export type SettingsStore = ReturnType<typeof createSettingsStore>;
