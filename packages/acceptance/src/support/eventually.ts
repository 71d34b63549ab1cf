const LOOK_MS = 50;

/** Looks until there is something to see; fails after a time that only a fault can exceed. */
export async function eventually<Seen>(
  what: string,
  look: () => Promise<Seen | null>,
  withinMs = 60_000,
): Promise<Seen> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== null) return seen;
    if (Date.now() > deadlineMs) throw new Error(`It did not come about within ${withinMs} ms that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
