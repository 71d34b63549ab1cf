/** For tests: the plans of the statements that a piece of work sends. */
import pg from 'pg';
import type { DatabaseClient } from './columns.js';
import type { PrismaClient } from './generated/client.js';
import { withClient } from './migrate/database.js';
import { PLANNED_PER_VALUE } from './query-runner.js';

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** The number of table rows and index entries that were visited. */
export function visited(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + visited(each), 0);
  if (!/Scan$/.test(node['Node Type']) || /CTE|Subquery|Function|Values/.test(node['Node Type']))
    return below;
  const rows =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return below + rows * node['Actual Loops'];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

interface StatementPlan {
  readonly text: string;
  readonly visited: number;
  /** By the values of the statement, and by the plan that serves all values, unless it is never used. */
  readonly indexes: readonly string[];
  readonly scannedTables: readonly string[];
}

interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The statements that every connection of this process sends while `work` runs. */
async function recordStatements(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const query = Reflect.get(pg.Client.prototype, 'query') as (this: pg.Client, ...args: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config, values] = args as [string | pg.QueryConfig, readonly unknown[] | undefined];
    const text = typeof config === 'string' ? config : config.text;
    const given = typeof config === 'string' ? values : (config.values ?? values);
    if (typeof text === 'string') sent.push({ text, values: Array.isArray(given) ? given : [] });
    return query.apply(this, args);
  } as typeof pg.Client.prototype.query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
  }
  return sent.filter(({ text }) => /^\s*\(?(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(text));
}

/** Runs `work`, then each of its statements again, explained and rolled back. */
export async function plansOf(url: string, work: () => Promise<unknown>): Promise<StatementPlan[]> {
  const statements = await recordStatements(work);
  return withClient(url, async (client) => {
    const plans: StatementPlan[] = [];
    for (const { text, values } of statements) {
      await client.query('BEGIN');
      const explain = async (options: string, bound: readonly unknown[]) => {
        const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
          `EXPLAIN (${options}, FORMAT JSON) ${text}`,
          [...bound],
        );
        return rows[0]?.['QUERY PLAN'][0].Plan as PlanNode;
      };
      const actual = await explain('ANALYZE, TIMING OFF, BUFFERS', values);
      await client.query('ROLLBACK');
      const generic = text.includes(PLANNED_PER_VALUE) ? [] : nodesOf(await explain('GENERIC_PLAN', []));
      const nodes = [...nodesOf(actual), ...generic];
      const unique = (names: readonly (string | undefined)[]) =>
        [...new Set(names.filter((name) => name !== undefined))].sort();
      plans.push({
        text,
        visited: visited(actual),
        indexes: unique(nodes.map((node) => node['Index Name'])),
        scannedTables: unique(
          nodes.map((node) => (node['Node Type'] === 'Seq Scan' ? node['Relation Name'] : undefined)),
        ),
      });
    }
    return plans;
  });
}

interface StatementPlanning {
  readonly text: string;
  /** False where PostgreSQL plans each execution, because a plan for all values looks more expensive. */
  readonly isPlannedOnce: boolean;
}

/** How often PostgreSQL plans the statements of this work, except those that are to be planned per value. */
export async function planningOf(
  url: string,
  work: () => Promise<unknown>,
): Promise<readonly StatementPlanning[]> {
  const statements = await recordStatements(work);
  return withClient(url, async (client) => {
    for (const [index, { text, values }] of statements.entries()) {
      if (text.includes(PLANNED_PER_VALUE)) continue;
      for (let execution = 0; execution <= EXECUTIONS_BEFORE_CHOICE; execution += 1) {
        await client.query('BEGIN');
        await client.query({ name: `statement_${index}`, text, values: [...values] });
        await client.query('ROLLBACK');
      }
    }
    const { rows } = await client.query<StatementPlanning>(
      'SELECT statement AS text, generic_plans > 0 AS "isPlannedOnce" FROM pg_prepared_statements',
    );
    return rows;
  });
}

/** PostgreSQL compares the costs from then on: https://www.postgresql.org/docs/18/sql-prepare.html. */
const EXECUTIONS_BEFORE_CHOICE = 5;

/**
 * Number of rows of these tables (by default of all) that the work reads in a transaction of its own, also
 * within triggers. The difference: the view contains what earlier transactions of the session read, up to a
 * second ago.
 */
export const rowsRead = (
  prisma: PrismaClient,
  work: (client: DatabaseClient) => Promise<unknown>,
  tables: readonly string[] | null = null,
): Promise<number> =>
  prisma.$transaction(async (client) => {
    const count = async () => {
      const [row] = await client.$queryRaw<{ rows: number }[]>`
        SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_xact_user_tables
        WHERE ${tables}::text[] IS NULL OR relname = ANY(${tables})`;
      return row?.rows ?? Number.NaN;
    };
    const before = await count();
    await work(client);
    return (await count()) - before;
  });
