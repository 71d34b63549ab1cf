export type { Client } from './columns.js';
export { PrismaClient } from './generated/client.js';
export { openDatabase, type Database } from './open-database.js';
export { prismaCanaries } from './prisma-canaries.js';
export { prismaDataKeys } from './prisma-data-keys.js';
export { prismaIdempotency } from './prisma-idempotency.js';
export { prismaRepositories } from './prisma-repositories.js';
export { prismaTransactions, type TransactionParts } from './prisma-transactions.js';
export { purgeExpired } from './purge-expired.js';
