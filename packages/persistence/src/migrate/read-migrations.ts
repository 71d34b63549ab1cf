import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface Migration {
  readonly name: string;
  readonly script: string;
  /** SHA-256 of the script, as Prisma records it. */
  readonly checksum: string;
}

/** All migrations of a `prisma` directory in the order in which they are applied. */
export async function readMigrations(prismaDir: string): Promise<Migration[]> {
  const directory = path.join(prismaDir, 'migrations');
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(path.join(directory, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
}
