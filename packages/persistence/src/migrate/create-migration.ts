import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { diffSchemas } from './diff-schemas.js';

/**
 * Writes the migration from the last recorded schema to schema.prisma, and resolves to its file, or to null
 * without changes. `prisma/migrations/schema.prisma` records the schema that the migrations lead to: the
 * engine cannot read it from a database (see find-drift.ts), so it is stored, and a test compares it.
 *
 * `url` is any database that the engine can connect to; it is not modified.
 */
export async function createMigration(
  url: string,
  prismaDir: string,
  name: string,
  at: Date,
): Promise<string | null> {
  const migrations = path.join(prismaDir, 'migrations');
  const snapshot = path.join(migrations, 'schema.prisma');
  const from = await readFile(snapshot, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const to = await readFile(path.join(prismaDir, 'schema.prisma'), 'utf8');
  const script = await diffSchemas(url, from, to);
  await mkdir(migrations, { recursive: true });
  await writeFile(snapshot, to);
  if (/^\s*(-- This is an empty migration\.)?\s*$/.test(script)) return null;
  const timestamp = at.toISOString().replaceAll(/[-T:]/g, '').slice(0, 14);
  const file = path.join(migrations, `${timestamp}_${name}`, 'migration.sql');
  await mkdir(path.dirname(file));
  await writeFile(file, script);
  return file;
}
