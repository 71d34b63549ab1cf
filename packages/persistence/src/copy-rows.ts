/** For tests: tables with many rows. */
import type { DatabaseClient } from './columns.js';
import { Prisma, type PrismaClient } from './generated/client.js';

/** Only a fault takes this long. */
const TRANSACTION_MS = 600_000;

/** Without triggers and without the checks of references, which take longer than everything else. */
export const withoutTriggers = (
  prisma: PrismaClient,
  work: (client: DatabaseClient) => Promise<void>,
): Promise<void> =>
  prisma.$transaction(
    async (client) => {
      await client.$executeRaw`SET LOCAL session_replication_role = replica`;
      await work(client);
    },
    { timeout: TRANSACTION_MS },
  );

interface CopyOptions {
  readonly id: string;
  readonly count: number;
  /** Expressions of the number `n` of the copy and of the row `r`; every other column is that of the row. */
  readonly changes: Readonly<Record<string, Prisma.Sql>>;
}

/** Inserts copies of one row, which also have what triggers derived for it. */
export async function copyRow(
  client: DatabaseClient,
  table: 'connections' | 'deliveries' | 'posts' | 'profiles' | 'refunds',
  { id, count, changes }: CopyOptions,
): Promise<void> {
  const columns = await client.$queryRaw<{ name: string }[]>`
    SELECT attname AS name FROM pg_attribute
    WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;
  const names = columns.map(({ name }) => name);
  const unknown = Object.keys(changes).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${table} has no ${unknown.join(', ')}`);
  const values = names.map((name) => changes[name] ?? Prisma.raw(`r."${name}"`));
  await client.$executeRaw`
    INSERT INTO ${Prisma.raw(table)} (${Prisma.raw(names.map((name) => `"${name}"`).join(', '))})
    SELECT ${Prisma.join(values)} FROM ${Prisma.raw(table)} r, generate_series(1, ${count}::int) AS n
    WHERE r.id = ${id}`;
}
