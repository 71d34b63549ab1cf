// Generates the Prisma client without its native schema engine, and only when schema.prisma or Prisma
// changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const manifest = require.resolve('prisma/package.json');
const generated = path.join(root, 'packages/persistence/src/generated');
const stampFile = path.join(generated, '.stamp');
const stamp = [manifest, path.join(root, 'prisma/schema.prisma'), import.meta.filename]
  .reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256'))
  .digest('hex');

const upToDate = () => {
  try {
    return readFileSync(stampFile, 'utf8') === stamp;
  } catch {
    return false;
  }
};

if (!upToDate()) {
  rmSync(generated, { recursive: true, force: true });
  const { status } = spawnSync(
    process.execPath,
    [path.join(path.dirname(manifest), 'build', 'index.js'), 'generate'],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        // `generate` only checks that this file exists and never runs it; without it the CLI tries to
        // download the native engine.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stampFile, stamp);
}
