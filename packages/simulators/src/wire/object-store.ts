/** What a platform adds to everything that it creates. */
export interface StoredObject {
  readonly id: string;
  readonly createdAt: Date;
}
export type NewObject<Item extends StoredObject> = Omit<Item, keyof StoredObject>;

/** Everything of one kind that was ever created on a platform, including what was deleted. */
export function objectStore<Item extends StoredObject>(
  now: () => Date,
  idOf: (index: number, at: Date) => string,
) {
  const all: Item[] = [];
  const gone = new Set<string>();
  const edited: string[] = [];
  const change = (id: string, more: Partial<Item>): Item | null => {
    const at = all.findIndex((one) => one.id === id);
    const before = all[at];
    return before ? (all[at] = { ...before, ...more }) : null;
  };
  const living = () => all.filter(({ id }) => !gone.has(id));

  return {
    all,
    /** The number of objects ever created. */
    createdCount: () => all.length,
    create: (fields: NewObject<Item>): Item => {
      const createdAt = now();
      const created = { ...fields, id: idOf(all.length, createdAt), createdAt } as Item;
      all.push(created);
      return created;
    },
    find: (id: string) => living().find((one) => one.id === id) ?? null,
    change,
    /** As its author does; `edits` has one entry for each. */
    edit: (id: string, more: Partial<Item>): Item | null => {
      if (gone.has(id)) return null;
      const changed = change(id, more);
      if (changed) edited.push(id);
      return changed;
    },
    edits: (): readonly string[] => edited,
    remove: (id: string) => void gone.add(id),
    removed: (): readonly string[] => [...gone],
    /** Newest first. */
    list: (fits: (item: Item) => boolean) => living().filter(fits).reverse(),
  };
}

/** IDs that are consecutive numbers beyond JavaScript's safe integers. */
export const numbersFrom =
  (first: bigint, step = 1n) =>
  (index: number): string =>
    String(first + BigInt(index) * step);

/** IDs whose upper bits are the milliseconds since a platform's epoch. */
export const snowflakes =
  (epochMs: bigint) =>
  (index: number, at: Date): string =>
    String(((BigInt(at.getTime()) - epochMs) << 22n) + BigInt(index % 4_096));
