// Usage: pnpm migration:new <name>
// Writes prisma/migrations/<time>_<name>/migration.sql with the SQL from the last migration to schema.prisma.
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

const [name = ''] = process.argv.slice(2);
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Usage: pnpm migration:new <name>, in lower case with underscores, such as add_posts');
  process.exit(2);
}
const built = await turbo({}, 'build', '--filter=@switchboard/persistence');
if (built !== 0) process.exit(built);

const persistence = path.join(root, 'packages/persistence/dist');
const { leaseServer } = await import(path.join(persistence, 'embedded/index.js'));
const { createMigration } = await import(path.join(persistence, 'migrate/index.js'));
const lease = await leaseServer({ stateDir: path.join(root, '.switchboard/test'), disposable: true });
const file = await createMigration(lease.url, path.join(root, 'prisma'), name, new Date());
await lease.release();
console.log(
  file === null
    ? 'schema.prisma matches the migrations: nothing to do.'
    : `Wrote ${path.relative(root, file)}. Review it, and add the changes of prisma/beyond-schema.sql.`,
);
