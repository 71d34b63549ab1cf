/**
 * Does the same for each, `atOnce` of them at a time. What throws keeps none of the others from it, and is thrown together in
 * the end. Nothing is begun any more once it is stopped.
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
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} were not done`);
}
