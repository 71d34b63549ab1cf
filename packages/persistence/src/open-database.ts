import { PrismaPg } from '@prisma/adapter-pg';
import { createQueryRunner, PLANNED_PER_VALUE } from './query-runner.js';
import { CallerPool, type StatementTimeouts } from './caller-pool.js';
import type { StatementObserver } from './observed-client.js';
import { PrismaClient } from './generated/client.js';
import { withRawStatements } from './raw-statements.js';

const DEFAULT_TIMEOUTS: StatementTimeouts = { callerMs: 10_000, backgroundMs: 300_000 };

interface DatabaseOptions {
  /** The maximum number of connections of this process. */
  readonly max: number;
  readonly timeouts?: StatementTimeouts | undefined;
  readonly onStatement?: StatementObserver | undefined;
  /** Whether `url` leads through a transaction pooler. */
  readonly isPooled?: boolean | undefined;
}

export function openDatabase(
  url: string,
  { max, timeouts = DEFAULT_TIMEOUTS, onStatement, isPooled = false }: DatabaseOptions,
) {
  const pool = new CallerPool({ connectionString: url, max, timeouts, onStatement, isPooled });
  // A lost idle connection is replaced when it is needed.
  pool.on('error', () => undefined);
  // Between the pool and its next user a connection has no error listener: an unhandled error event would end
  // the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  // A prepared statement belongs to a session.
  const statementNameGenerator = isPooled ? () => '' : statementNames();
  const prisma = withRawStatements(
    () => new PrismaClient({ adapter: new PrismaPg(pool, { statementNameGenerator }) }),
    pool,
    statementNameGenerator,
  );
  return {
    prisma,
    /** Runs a statement on one of the same connections. */
    query: createQueryRunner(prisma),
    /** The connections of this process, and the work that waits for one. */
    connections: (): { readonly active: number; readonly idle: number; readonly waiting: number } => ({
      active: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    /** Runs a trivial query; rejects without a response. */
    async ping() {
      await prisma.$queryRaw`SELECT 1`;
    },
    /** The database's clock, in milliseconds since 1970. */
    async nowMs() {
      const [row] = await prisma.$queryRaw<
        { at: number }[]
      >`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at`;
      if (!row) throw new Error('the clock query returned no row');
      return row.at;
    },
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

export type Database = ReturnType<typeof openDatabase>;

/** Every connection keeps its prepared statements; lists of any length produce any number of texts. */
const STATEMENTS_MAX = 500;

/**
 * Names the first texts, so that PostgreSQL parses and plans them once per connection; the others stay
 * unnamed.
 */
function statementNames(): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= STATEMENTS_MAX || sql.includes(PLANNED_PER_VALUE)) return '';
    const name = `s${names.size}`;
    names.set(sql, name);
    return name;
  };
}
