import { toSnakeName } from '@switchboard/domain';
import { Prisma } from './generated/client.js';

/** The columns of a model under the names of its fields: a raw statement returns the rows of the model with them. */
export const modelColumns = (table: string, fields: Readonly<Record<string, string>>): Prisma.Sql =>
  Prisma.raw(
    Object.values(fields)
      .map((field) => `${table}.${toSnakeName(field)} AS "${field}"`)
      .join(', '),
  );
