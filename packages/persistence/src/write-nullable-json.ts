import { Prisma } from './generated/client.js';

/** For nullable columns: an SQL null instead of the JSON text `null`. */
export const writeNullableJson = (value: unknown): Prisma.InputJsonValue | typeof Prisma.DbNull =>
  value === null ? Prisma.DbNull : (value as Prisma.InputJsonValue);
