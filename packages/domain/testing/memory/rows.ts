import type { PageRequest, Rows, WorkspaceId } from '../../src/index.js';

interface OwnedRow {
  readonly id: string;
  readonly workspaceId: string;
}

export const findOwned = <Row extends OwnedRow>(
  rows: Map<string, Row>,
  workspaceId: WorkspaceId,
  id: string,
): Row | null => {
  const row = rows.get(id);
  return row?.workspaceId === workspaceId ? row : null;
};

export const ofWorkspace = <Row extends OwnedRow>(rows: Map<string, Row>, workspaceId: WorkspaceId): Row[] =>
  oldestFirst([...rows.values()].filter((row) => row.workspaceId === workspaceId));

/** Ids sort by the time they were made. */
export const oldestFirst = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

/** The page after a position in rows that are in the order of the list. */
export function pageOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { limit, after }: PageRequest,
): Rows<Row> {
  const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  const items = rows.slice(from, from + limit);
  const last = items.at(-1);
  return rows.length > from + limit && last ? { items, next: last.id } : { items };
}

type DefinedFields<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** The fields that were given: what is undefined stays as it is in the row. */
export const omitUndefined = <Fields extends object>(fields: Fields): Partial<DefinedFields<Fields>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    DefinedFields<Fields>
  >;

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

/** As a database would: with an error, since a use case that comes this far is wrong. */
export function assertUnique(isFree: boolean, what: string): void {
  if (!isFree) throw new Error(`there is one already: ${what}`);
}
