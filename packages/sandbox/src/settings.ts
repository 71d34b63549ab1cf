import type { Journal } from './journal.js';

/** Behavior that persists until it is changed, unlike a fault, which is consumed. Named as on the wire. */
export interface Settings {
  readonly access_token_seconds: number;
  readonly posts_per_day: number;
  readonly post_url_after_seconds: number;
  readonly refresh_tokens: 'rotating' | 'fixed' | 'none';
  readonly lax_over_refund: boolean;
  readonly lax_window_ms: number;
  readonly refund_settle_seconds: number;
  readonly refund_settle_outcome: 'succeeded' | 'failed';
}

const DEFAULTS: Settings = {
  access_token_seconds: 3600,
  posts_per_day: 10_000,
  post_url_after_seconds: 0,
  refresh_tokens: 'rotating',
  lax_over_refund: false,
  lax_window_ms: 150,
  refund_settle_seconds: 0,
  refund_settle_outcome: 'succeeded',
};

const isWhole = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

const ACCEPTS: Readonly<Record<keyof Settings, (value: unknown) => boolean>> = {
  access_token_seconds: isWhole,
  posts_per_day: isWhole,
  post_url_after_seconds: isWhole,
  refresh_tokens: (value) => value === 'rotating' || value === 'fixed' || value === 'none',
  lax_over_refund: (value) => typeof value === 'boolean',
  lax_window_ms: isWhole,
  refund_settle_seconds: isWhole,
  refund_settle_outcome: (value) => value === 'succeeded' || value === 'failed',
};

export function createSettingsStore(journal: Journal) {
  const stored = journal.collection<Partial<Settings>>('settings');
  const current = (): Settings => ({ ...DEFAULTS, ...stored.get('current') });
  return {
    current,
    /** The name of the first field with an invalid value, or `undefined` when all were applied. */
    change(requested: Readonly<Record<string, unknown>>): string | undefined {
      const fields = Object.keys(requested);
      const wrong = fields.find(
        (field) => !(field in ACCEPTS) || !ACCEPTS[field as keyof Settings](requested[field]),
      );
      if (wrong === undefined) stored.set('current', { ...current(), ...requested });
      return wrong;
    },
  };
}
export type SettingsStore = ReturnType<typeof createSettingsStore>;
