import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

/**
 * Runs a program that is one file (`bundleAsOneFile`), with what V8 compiled of it the last time. That is kept in `folder` as soon
 * as the program's `introduced` resolves: what comes after would have to be read before anything is run, the next time. Node's
 * own cache keeps no function that was compiled when it was first called, which is nearly all of them.
 *
 * What lies in the folder is run, so it has to be a place of our own. Where it cannot be written, nothing is kept and nothing is lost.
 */
export async function runOneFile(file, folder) {
  const text = readFileSync(file, 'latin1');
  const cacheFile = path.join(folder, `${identityOf(text)}-${process.version}-${process.arch}`);
  const cachedData = readCache(cacheFile);
  const script = new vm.Script(module.wrap(text), {
    filename: file,
    cachedData,
  });
  const program = { exports: {} };
  const run = script.runInThisContext();
  run(program.exports, module.createRequire(file), program, file, path.dirname(file));
  if (cachedData && !script.cachedDataRejected) return;
  await program.exports.introduced;
  writeCache(cacheFile, script.createCachedData());
}

/** The last line says what the file is: V8 itself takes code for another text of the same length. */
const identityOf = (text) => text.slice(-65, -1);

function readCache(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** In place of those of earlier builds; whole, or not at all. */
function writeCache(file, data) {
  const folder = path.dirname(file);
  const temporaryFile = `${file}.${process.pid}`;
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(temporaryFile, data, { flush: true });
    renameSync(temporaryFile, file);
  } catch {
    // Then the next start compiles again.
  }
}
