import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

/**
 * Runs a single-file program (`scripts/bundle.mjs`), wrapped as Node.js wraps a CommonJS module, with the V8
 * code cache of an earlier run. The cache is written to `folder` as soon as the program's `introduced` resolves,
 * unless to false: code compiled later would only enlarge what the next start has to read first. Node's own
 * compile cache omits functions that are compiled lazily at their first call, which is nearly all of them.
 *
 * The content of the folder is executed, so it has to be private. When it cannot be written, there is no
 * cache and no error.
 */
export async function runOneFile(file, folder) {
  const text = readFileSync(file, 'latin1');
  const cacheFile = path.join(folder, `${identityOf(text)}-${process.version}-${process.arch}`);
  const cachedData = readCache(cacheFile);
  const script = new vm.Script(text, { filename: file, cachedData });
  const program = { exports: {} };
  const run = script.runInThisContext();
  run(program.exports, module.createRequire(file), program, file, path.dirname(file));
  if (cachedData && !script.cachedDataRejected) return;
  if ((await program.exports.introduced) === false) return;
  writeCache(cacheFile, script.createCachedData());
}

/** The last line identifies the file: V8 itself accepts cached code for another text of the same length. */
const identityOf = (text) => text.slice(-65, -1);

function readCache(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Replaces the cache of earlier builds, atomically. */
function writeCache(file, data) {
  const folder = path.dirname(file);
  const temporaryFile = `${file}.${process.pid}`;
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(temporaryFile, data, { flush: true });
    renameSync(temporaryFile, file);
  } catch {
    // Without a cache the next start compiles again.
  }
}
