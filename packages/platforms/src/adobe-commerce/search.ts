import type { PlatformRequest } from '@switchboard/platform-kit';

export interface SearchFilter {
  readonly field: string;
  readonly condition: 'eq' | 'in' | 'nin' | 'gt' | 'gteq' | 'lt' | 'lteq';
  readonly value: string;
}

/** Fields to sort by, in order of priority. */
type SearchSort = readonly (readonly [field: string, direction: 'ASC' | 'DESC'])[];

/**
 * A search. The filters of a group are alternatives. The page size is always stated: without it Magento
 * returns everything. The page is always the first: past the last page Magento returns the last one again.
 */
export function searchCriteria(
  groups: readonly (readonly SearchFilter[])[],
  sort: SearchSort,
  pageSize: number,
): NonNullable<PlatformRequest['query']> {
  const stated: Record<string, string | number> = {};
  groups.forEach((filters, group) =>
    filters.forEach(({ field, condition, value }, at) => {
      const name = `searchCriteria[filterGroups][${group}][filters][${at}]`;
      stated[`${name}[field]`] = field;
      stated[`${name}[conditionType]`] = condition;
      stated[`${name}[value]`] = value;
    }),
  );
  sort.forEach(([field, direction], at) => {
    stated[`searchCriteria[sortOrders][${at}][field]`] = field;
    stated[`searchCriteria[sortOrders][${at}][direction]`] = direction;
  });
  return { ...stated, 'searchCriteria[pageSize]': pageSize, 'searchCriteria[currentPage]': 1 };
}

/** The first second not before the time: Magento's times are whole seconds, in UTC. */
export const toSecondCeiling = (at: Date): string =>
  new Date(Math.ceil(at.getTime() / 1_000) * 1_000).toISOString().slice(0, 19).replace('T', ' ');
