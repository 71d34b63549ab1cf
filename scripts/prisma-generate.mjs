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

/** See packages/persistence/src/defer-optimization.ts. */
function deferOptimization() {
  const file = path.join(generated, 'internal/class.ts');
  const creation = 'return new WebAssembly.Module(wasmArray)';
  const [before, after, ...more] = readFileSync(file, 'utf8').split(creation);
  if (after === undefined || more.length > 0) throw new Error(`${file} does not contain "${creation}" once`);
  // The import is last: the first lines turn the check of types off.
  writeFileSync(
    file,
    `${before}return deferOptimization(() => new WebAssembly.Module(wasmArray))${after}
import { deferOptimization } from '../../defer-optimization.js';
`,
  );
}

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
  deferOptimization();
  writeFileSync(stampFile, stamp);
}
