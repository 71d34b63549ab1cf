/** How many there are of each name, ordered by name. */
export const countBy = <One>(all: readonly One[], nameOf: (one: One) => string): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(all, nameOf)].map(([name, those]): [string, number] => [name, those.length]).sort(),
  );
