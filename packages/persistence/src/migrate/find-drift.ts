import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readCatalog } from './read-catalog.js';
import { databaseUrl, withClient } from './database.js';
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
