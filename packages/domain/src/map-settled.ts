/**
 * Runs a function for each item, `atOnce` of them concurrently. An item that throws does not affect the
 * others; the errors are thrown together at the end. No item starts after the signal is aborted.
 */
export async function mapSettled<Item>(
  items: Iterable<Item>,
  stop: AbortSignal,
  work: (item: Item) => Promise<unknown>,
  concurrency = 1,
): Promise<void> {
  const waiting = [...items];
  const errors: unknown[] = [];
  const runNext = async () => {
    while (waiting.length > 0 && !stop.aborted) {
      await work(waiting.shift() as Item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} items failed`);
}
