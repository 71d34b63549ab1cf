import { Prisma } from './generated/client.js';

const columns = new Map<string, string>();

/** The column of a model's field: Prisma maps all of them by this rule. */
export function columnOf(field: string): string {
  const known = columns.get(field);
  if (known !== undefined) return known;
  const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columns.set(field, column);
  return column;
}

/** The columns of a model under the names of its fields: a raw statement returns the rows of the model with them. */
export const modelColumns = (table: string, fields: Readonly<Record<string, string>>): Prisma.Sql =>
  Prisma.raw(
    Object.values(fields)
      .map((field) => `${table}.${columnOf(field)} AS "${field}"`)
      .join(', '),
  );
