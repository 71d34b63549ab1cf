import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readCatalog } from './read-catalog.js';
import { databaseUrl, withClient } from './database.js';
import { diffSchemas } from './diff-schemas.js';

/** What is meant, beside the migrations: Prisma's schema and, in SQL, what Prisma's language cannot say. */
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
 * What differs between the migrated database at `url` and one that is made from the intended schema alone: '-' is
 * missing from the migrations, '+' only they make. The catalogues are compared here because the engine cannot
 * read a database's structure through PrismaPg 7.10.
 */
export async function findDrift(url: string, intended: IntendedSchema): Promise<string[]> {
  const script = await diffSchemas(url, null, intended.schema);
  const name = `drift_${randomBytes(6).toString('hex')}`;
  await withClient(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
  try {
    const intendedUrl = databaseUrl(url, name);
    await withClient(intendedUrl, (client) => client.query(`${script}\n${intended.beyond}`));
    const [intendedLines, actualLines] = [await withClient(intendedUrl, readCatalog), await withClient(url, readCatalog)];
    return [
      ...[...intendedLines].filter((line) => !actualLines.has(line)).map((line) => `- ${line}`),
      ...[...actualLines].filter((line) => !intendedLines.has(line)).map((line) => `+ ${line}`),
    ].sort();
  } finally {
    await withClient(url, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}
