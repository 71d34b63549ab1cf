import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { databaseUrl, withClient, type Queryable } from './database.js';
import { diffSchemas } from './diff-schemas.js';

/**
 * The intended result of the migrations: Prisma's schema and the SQL that Prisma's language cannot express.
 */
export interface IntendedSchema {
  readonly schema: string;
  readonly beyond: string;
}

export async function readIntendedSchema(prismaDir: string): Promise<IntendedSchema> {
  const beyond = path.join(prismaDir, 'beyond-schema.sql');
  return {
    schema: await readFile(path.join(prismaDir, 'schema.prisma'), 'utf8'),
    beyond: await readFile(beyond, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    }),
  };
}

/**
 * The difference between the migrated database at `url` and one created from the intended schema alone: '-'
 * is missing from the migrations, '+' exists only in the migrations. This compares catalogs because the
 * engine cannot introspect a database through PrismaPg 7.10.
 */
export async function findDrift(url: string, intended: IntendedSchema): Promise<string[]> {
  const script = await diffSchemas(url, null, intended.schema);
  const name = `drift_${randomBytes(6).toString('hex')}`;
  await withClient(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
  try {
    const intendedUrl = databaseUrl(url, name);
    await withClient(intendedUrl, (client) => client.query(`${script}\n${intended.beyond}`));
    const [intendedLines, actualLines] = [
      await withClient(intendedUrl, readCatalog),
      await withClient(url, readCatalog),
    ];
    return [
      ...[...intendedLines].filter((line) => !actualLines.has(line)).map((line) => `- ${line}`),
      ...[...actualLines].filter((line) => !intendedLines.has(line)).map((line) => `+ ${line}`),
    ].sort();
  } finally {
    await withClient(url, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}

const CATALOG_QUERY = `
  WITH relations AS (
    SELECT oid, relname, relkind FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE '\\_prisma\\_migrations%'
  )
  SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
    FROM relations c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relkind IN ('r', 'p')
  UNION ALL SELECT 'constraint ' || c.relname || ' ' || o.conname || ' ' || pg_get_constraintdef(o.oid)
    FROM pg_constraint o JOIN relations c ON c.oid = o.conrelid WHERE o.contype <> 'n'
  UNION ALL SELECT 'index ' || pg_get_indexdef(c.oid) FROM relations c WHERE c.relkind IN ('i', 'I')
  UNION ALL SELECT 'sequence ' || c.relname FROM relations c WHERE c.relkind = 'S'
  UNION ALL SELECT 'statistics ' || pg_get_statisticsobjdef(s.oid)
    FROM pg_statistic_ext s JOIN relations c ON c.oid = s.stxrelid
  UNION ALL SELECT 'view ' || c.relname || ' ' || pg_get_viewdef(c.oid) FROM relations c WHERE c.relkind IN ('v', 'm')
  UNION ALL SELECT 'trigger ' || pg_get_triggerdef(t.oid)
    FROM pg_trigger t JOIN relations c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
  UNION ALL SELECT 'function ' || pg_get_functiondef(p.oid)
    FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  UNION ALL SELECT 'enum ' || t.typname || ' ' || string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder)
    FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid
    WHERE t.typnamespace = 'public'::regnamespace GROUP BY t.typname
  UNION ALL SELECT 'extension ' || extname FROM pg_extension WHERE extname <> 'plpgsql'`;

/**
 * Every object in the schema `public` that a migration can create, one line each, without Prisma's own table.
 */
async function readCatalog(database: Queryable): Promise<Set<string>> {
  const { rows } = await database.query<{ line: string }>(CATALOG_QUERY);
  return new Set(rows.map(({ line }) => line));
}
