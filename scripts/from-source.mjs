// Loads the packages' TypeScript sources instead of their builds: `node --import ./scripts/from-source.mjs
// <script>`.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');
const sources = new Map(
  ['apps', 'packages'].flatMap((directory) =>
    readdirSync(path.join(root, directory)).flatMap((name) => {
      const folder = path.join(root, directory, name);
      if (!existsSync(path.join(folder, 'package.json'))) return [];
      const { name: packageName, exports = {} } = JSON.parse(
        readFileSync(path.join(folder, 'package.json'), 'utf8'),
      );
      return Object.entries(exports).flatMap(([subpath, target]) =>
        expand(folder, subpath, typeof target === 'string' ? target : target.default).map(
          ([specifier, file]) => [packageName + specifier, sourceOf(path.join(folder, file))],
        ),
      );
    }),
  ),
);

/** A subpath of package.json, relative to the package's name; `./*` is one for each file that it matches. */
function expand(folder, subpath, target) {
  if (!subpath.endsWith('/*')) return [[subpath.slice(1), target]];
  const [, ending] = target.split('*');
  const source = ending.replace(/\.js$/, '.ts');
  return readdirSync(path.join(folder, 'src'), { recursive: true })
    .filter((file) => file.endsWith(source) && !file.endsWith('.test.ts'))
    .map((file) => file.slice(0, -source.length).split(path.sep).join('/'))
    .map((name) => [subpath.slice(1).replace('*', name), target.replace('*', name)]);
}

/** `dist/a.js` is built from `src/a.ts`; `dist/src/a.js` too, when a package is built from its root. */
function sourceOf(file) {
  const [folder, inside] = file.split(`${path.sep}dist${path.sep}`);
  if (inside === undefined) return file.replace(/\.js$/, '.ts');
  const typescript = inside.replace(/\.js$/, '.ts');
  const candidates = [path.join(folder, 'src', typescript), path.join(folder, typescript)];
  return candidates.find((candidate) => existsSync(candidate)) ?? file;
}

registerHooks({
  resolve(specifier, context, next) {
    const source = sources.get(specifier);
    if (source !== undefined) return { url: pathToFileURL(source).href, shortCircuit: true };
    if (/^(\.|file:)/.test(specifier) && specifier.endsWith('.js') && context.parentURL) {
      const file = fileURLToPath(new URL(specifier, context.parentURL));
      if (file.startsWith(root) && !file.includes('node_modules')) {
        const typescript = sourceOf(file);
        if (existsSync(typescript)) return { url: pathToFileURL(typescript).href, shortCircuit: true };
      }
    }
    return next(specifier, context);
  },
});
