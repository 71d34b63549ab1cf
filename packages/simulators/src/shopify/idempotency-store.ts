const KEPT_MS = 24 * 3_600_000;

interface StoredResult<Value> {
  readonly parameters: string;
  readonly atMs: number;
  /** Null: it was rejected. */
  readonly value: Value | null;
}

/**
 * Idempotency keys of mutations as documented by Shopify: kept for 24 hours and bound to their parameters; a
 * repeated request returns the created object in its current state; a rejected request requires a new key.
 */
export function idempotencyStore<Value>(now: () => Date) {
  const stored = new Map<string, StoredResult<Value>>();
  return {
    once(
      key: string,
      parameters: string,
      make: () => Value | { readonly refused: string },
    ): Value | { readonly refused: string } {
      const atMs = now().getTime();
      const earlier = stored.get(key);
      if (earlier && atMs - earlier.atMs < KEPT_MS) {
        if (earlier.parameters !== parameters) {
          return {
            refused: 'The same idempotency key cannot be used with different operation parameters.',
          };
        }
        return (
          earlier.value ?? {
            refused: 'A previous request with this idempotency key failed. Retry with a new idempotency key.',
          }
        );
      }
      const created = make();
      const refused = typeof created === 'object' && created !== null && 'refused' in created;
      stored.set(key, { parameters, atMs, value: refused ? null : created });
      return created;
    },
  };
}
