import type { WireResponse } from '../wire/exchange.js';

/** A table row: fields without a single value are not columns. */
type TableRow = Readonly<Record<string, unknown>>;

interface SearchFilter {
  field: string;
  value: string;
  condition_type: string;
}

const GROUPS = /^searchCriteria\[filter_?groups\]\[(\d+)\]\[filters\]\[(\d+)\]\[(\w+)\]$/i;
const SORTS = /^searchCriteria\[sort_?orders\]\[(\d+)\]\[(\w+)\]$/i;
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Null: not given at all, which a search must not omit. */
function readCriteria(query: URLSearchParams) {
  const names = [...query.keys()];
  if (!names.some((name) => name.startsWith('searchCriteria'))) return null;
  const groups: SearchFilter[][] = [];
  const sorts: { field: string; direction: string }[] = [];
  for (const [name, value] of query) {
    const [, group, at, part] = GROUPS.exec(name) ?? [];
    if (part !== undefined) {
      const filters = (groups[Number(group)] ??= []);
      const filter = (filters[Number(at)] ??= { field: '', value: '', condition_type: 'eq' });
      filter[snakeCase(part) as keyof SearchFilter] = value;
    }
    const [, sort, how] = SORTS.exec(name) ?? [];
    if (how !== undefined) (sorts[Number(sort)] ??= { field: '', direction: 'DESC' })[how as 'field'] = value;
  }
  const number = (camel: string) =>
    query.get(`searchCriteria[${camel}]`) ?? query.get(`searchCriteria[${snakeCase(camel)}]`);
  const size = number('pageSize');
  return {
    groups: groups.filter(Boolean).map((filters) => filters.filter(Boolean)),
    sorts: sorts.filter(Boolean),
    pageSize: size === null ? null : Number(size),
    currentPage: Number(number('currentPage') ?? 1),
  };
}

/** The order of rows with equal sort values is unspecified, so it differs with every search. */
let searchCount = 0;

/** Searches a table as the store's collections do. */
export function search<Of extends TableRow>(
  rows: readonly Of[],
  columns: ReadonlySet<string>,
  query: URLSearchParams,
  present: (row: Of) => unknown,
): WireResponse {
  const criteria = readCriteria(query);
  if (!criteria) {
    const message = '"%fieldName" is required. Enter and try again.';
    return { status: 400, json: { message, parameters: { fieldName: 'searchCriteria' } } };
  }
  const { groups, sorts, pageSize, currentPage } = criteria;
  const named = [...groups.flat(), ...sorts].map(({ field }) => field);
  // The database rejects the column, and the caller receives a generic error.
  if (named.some((field) => !columns.has(field))) return internal;
  if (groups.flat().some((filter) => !(filter.condition_type in CONDITIONS))) return internal;

  searchCount++;
  const found = rows
    .filter((row) => groups.every((filters) => filters.some((filter) => matchesFilter(row, filter))))
    .sort((one, other) => (searchCount % 2 === 0 ? -1 : 1) * compare(one['entity_id'], other['entity_id']))
    .sort((one, other) => {
      for (const { field, direction } of sorts) {
        const order = compare(one[field], other[field]);
        if (order !== 0) return direction === 'ASC' ? order : -order;
      }
      return 0;
    });
  const size = pageSize ?? found.length;
  // Beyond the last page, the last page is returned again.
  const last = Math.max(1, Math.ceil(found.length / Math.max(size, 1)));
  const page = Math.min(Math.max(currentPage, 1), last);
  return {
    status: 200,
    json: {
      items: found.slice((page - 1) * size, page * size).map(present),
      search_criteria: {
        filter_groups: groups.map((filters) => ({ filters })),
        ...(sorts.length > 0 && { sort_orders: sorts }),
        ...(pageSize !== null && { page_size: pageSize }),
        ...(query.has('searchCriteria[currentPage]') && { current_page: currentPage }),
      },
      total_count: found.length,
    },
  };
}

const internal: WireResponse = {
  status: 500,
  json: {
    message: 'Internal Error. Details are available in Magento log file. Report ID: webapi-5a37c96156541',
  },
};

const CONDITIONS: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  neq: (order) => order !== 0,
  gt: (order) => order > 0,
  gteq: (order) => order >= 0,
  from: (order) => order >= 0,
  lt: (order) => order < 0,
  lteq: (order) => order <= 0,
  to: (order) => order <= 0,
  in: (order) => order === 0,
  nin: (order) => order !== 0,
};

function matchesFilter(row: TableRow, { field, value, condition_type: condition }: SearchFilter): boolean {
  const stored = row[field];
  // NULL matches neither `like` nor `nlike`.
  if (stored === null || stored === undefined) return false;
  const meets = CONDITIONS[condition] ?? (() => false);
  const values = condition === 'in' || condition === 'nin' ? value.split(',') : [value];
  const each = values.map((one) => meets(compare(stored, one)));
  return condition === 'nin' ? each.every(Boolean) : each.some(Boolean);
}

/** Compares as the database does: numbers with the leading number of a text, and texts case-insensitively. */
function compare(stored: unknown, other: unknown): number {
  if (typeof stored === 'number') return stored - (Number.parseFloat(String(other)) || 0);
  const [one, two] = [String(stored).toLowerCase(), String(other).toLowerCase()];
  return one < two ? -1 : one > two ? 1 : 0;
}
