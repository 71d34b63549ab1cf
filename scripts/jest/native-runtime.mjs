// Lets Node.js load the tests and all that they import, instead of Jest's module system: a worker loads a
// module once, not once for each test file (docs/decisions/049-native-modules-in-tests.md).
import { existsSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const root = pathToFileURL(path.resolve(import.meta.dirname, '../..')).href;
const jestGlobals = new URL('native-globals.mjs', import.meta.url).href;

/** In watch mode: our own files that are loaded, with the time of their last change. */
const loaded = new Map();
/** Part of the URL of our own files, so that Node.js loads them again after a change. */
let generation = 0;
let isWatching = false;

const versionOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
const isOwn = (url) => url.startsWith(`${root}/`) && !url.includes('/node_modules/');

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: jestGlobals, shortCircuit: true };
    const resolved = sourceOf(specifier, context.parentURL) ?? next(specifier, context);
    if (!isWatching || !isOwn(resolved.url)) return resolved;
    const file = fileURLToPath(resolved.url);
    loaded.set(file, versionOf(file));
    return { ...resolved, url: `${pathToFileURL(file).href}?generation=${generation}`, shortCircuit: true };
  },
});

/** A source imports `./a.js`, the name after compilation; next to it is `./a.ts`. */
function sourceOf(specifier, parentUrl = '') {
  if (!specifier.startsWith('.') || !specifier.endsWith('.js')) return null;
  if (!URL.canParse(parentUrl) || !new URL(parentUrl).pathname.endsWith('.ts')) return null;
  const source = new URL(specifier.replace(/\.js$/, '.ts'), parentUrl);
  return existsSync(source) ? { url: source.href, shortCircuit: true } : null;
}

/** What jest-runner and jest-circus call of a Jest runtime. */
export default class NativeRuntime {
  #environment;

  constructor(_config, environment, _resolver, _transformer, _files, _coverage, _path, globalConfig) {
    this.#environment = environment;
    isWatching = globalConfig.watch || globalConfig.watchAll;
    if ([...loaded].every(([file, version]) => versionOf(file) === version)) return;
    loaded.clear();
    generation += 1;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(file) {
    return import(pathToFileURL(file).href);
  }

  requireModule(file) {
    return require(file);
  }

  /** jest-circus has the tests of one file in its module: each file gets a new one. */
  requireInternalModule(file) {
    delete require.cache[file];
    return require(file);
  }

  setGlobalsForRuntime(globals) {
    this.#environment.provide(globals);
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }
}
