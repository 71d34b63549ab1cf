/**
 * Does the same for each, `atOnce` of them at a time. What throws keeps none of the others from it, and is thrown together in
 * the end. Nothing is begun any more once it is stopped.
 */
export async function eachAlone<Item>(
  items: Iterable<Item>,
  stop: AbortSignal,
  work: (item: Item) => Promise<unknown>,
  atOnce = 1,
): Promise<void> {
  const waiting = [...items];
  const thrown: unknown[] = [];
  const take = async () => {
    while (waiting.length > 0 && !stop.aborted) {
      await work(waiting.shift() as Item).catch((error: unknown) => thrown.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, take));
  if (thrown.length > 0) throw new AggregateError(thrown, `${thrown.length} were not done`);
}
