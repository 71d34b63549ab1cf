import type { WorkspaceId } from '../../src/ids.js';
import type { PageRequest, Rows } from '../../src/page.js';

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

/** Ids sort by their creation time. */
export const oldestFirst = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

/** The page after a position in sorted rows. */
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

/** Drops undefined fields, so that the row keeps them unchanged. */
export const omitUndefined = <Fields extends object>(fields: Fields): Partial<DefinedFields<Fields>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    DefinedFields<Fields>
  >;

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

/** Throws like a database, since a use case that reaches this is faulty. */
export function assertUnique(isFree: boolean, what: string): void {
  if (!isFree) throw new Error(`it already exists: ${what}`);
}
