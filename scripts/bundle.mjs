import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import module, { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');

const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // An optional module that is not installed.
  external: ['pg-native'],
  logLevel: 'warning',
  // `depd`, of Koa, evaluates code only to deprecate a function with many parameters.
  logOverride: { 'direct-eval': 'silent' },
};

/**
 * Prisma's query compiler, which the first query loads: a fifth of every program, which the start would read as
 * source text.
 */
const QUERY_COMPILER = '@prisma/client/runtime/query_compiler_small_bg.postgresql.wasm-base64.mjs';
const requireOfPersistence = createRequire(path.join(root, 'packages/persistence/package.json'));

/**
 * Bundles each compiled program of one folder with all its imports as one file, `bundle/<name>.cjs`, and writes
 * `bundle/<name>.js`, which runs it with its cached code (`scripts/one-file.mjs`). Locating, reading and compiling
 * a thousand modules takes longer than everything else that most programs do at startup. A module behind
 * `import()` runs when the call is reached, not before.
 *
 * `separate` lists modules behind `import()` that become a file of their own, which is read when the call is
 * reached.
 */
export async function bundle(folder, programs, separate = []) {
  const outdir = path.join(folder, 'bundle');
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir);
  const modules = [...separate, QUERY_COMPILER];
  for (const name of modules) await bundleSeparately(folder, name);
  for (const program of programs) await bundleAsOneFile(folder, program, modules);
}

/** `@switchboard/bootstrap/authorization-server` becomes `./authorization-server.cjs`. */
const fileOf = (name) => `./${path.posix.basename(name, '.mjs')}.cjs`;

const sourceOf = (name) => (name === QUERY_COMPILER ? requireOfPersistence.resolve(name) : name);

/** Keeps the names of classes: oidc-provider stores its models under them. */
const bundleSeparately = (folder, name) =>
  build({
    ...common,
    stdin: { contents: `export * from ${JSON.stringify(sourceOf(name))};`, resolveDir: folder },
    outfile: path.join(folder, 'bundle', fileOf(name)),
    format: 'cjs',
    keepNames: true,
    minifyWhitespace: true,
    legalComments: 'none',
  });

const separately = (separate) => ({
  name: 'separate-files',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path: name }) => {
      const found = separate.find((one) => one === name || fileOf(one) === name);
      return found ? { path: fileOf(found), external: true } : null;
    });
  },
});

async function bundleAsOneFile(folder, program, separate) {
  const { name } = path.parse(program);
  const outdir = path.join(folder, 'bundle');
  const parts = await build({ ...modulesOf(folder, program, separate), write: false });
  const texts = new Map(parts.outputFiles.map(({ path: file, text }) => [file, text]));
  const { outputFiles } = await build({
    ...common,
    entryPoints: [path.join(outdir, program)],
    format: 'cjs',
    // A script that runs with its compile cache can only use `require`.
    supported: { 'dynamic-import': false },
    // Comments are a third of the file. Stack traces keep usable line numbers.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'none',
    define: { 'import.meta.url': '__place' },
    logOverride: { ...common.logOverride, 'empty-import-meta': 'error' },
    plugins: [separately(separate), readFromMemory(texts)],
    banner: { js: scriptBanner },
    write: false,
  });
  // V8 reads one-byte text without scanning it. Regular expressions and templates support the same escape as
  // strings.
  const ascii = outputFiles[0].text.replaceAll(/[^\0-\x7f]/g, (unit) => String.raw`\u${hex(unit)}`);
  const identity = createHash('sha256').update(ascii).digest('hex');
  await writeFile(path.join(outdir, `${name}.cjs`), `${module.wrap(ascii)}\n// ${identity}\n`);
  await writeFile(path.join(outdir, program), launcher(folder, name));
}

/** The cache is outside `dist`, which the build stores with its result. */
function launcher(folder, name) {
  const toRoot = path.relative(path.join(folder, 'bundle'), root).split(path.sep).join('/');
  const cache = `${toRoot}/node_modules/.cache/switchboard-${path.basename(path.dirname(folder))}-${name}`;
  return `import path from 'node:path';
import { runOneFile } from '${toRoot}/scripts/one-file.mjs';

const here = (file) => path.join(import.meta.dirname, file);
await runOneFile(here('${name}.cjs'), here('${cache}'));
`;
}

const hex = (unit) => unit.charCodeAt(0).toString(16).padStart(4, '0');

/** Resolves files that were not written to disk. */
const readFromMemory = (texts) => ({
  name: 'from-memory',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path: name, resolveDir }) => {
      const file = path.resolve(resolveDir, name);
      return texts.has(file) ? { path: file } : null;
    });
    onLoad({ filter: /.*/ }, ({ path: file }) =>
      texts.has(file) ? { contents: texts.get(file), resolveDir: path.dirname(file) } : null,
    );
  },
});

const modulesOf = (folder, program, separate) => {
  const outdir = path.join(folder, 'bundle');
  return {
    ...common,
    entryPoints: [path.join(folder, program)],
    outdir,
    splitting: true,
    format: 'esm',
    plugins: [separately(separate), preserveModuleUrls(outdir)],
    banner: { js: moduleBanner },
  };
};

/** A module that locates files relative to itself keeps its original URL. */
const preserveModuleUrls = (outdir) => ({
  name: 'original-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      if (!/\bimport\.meta\.(url|dirname|filename|resolve)\b/.test(text)) return null;
      const place = path.relative(outdir, file).split(path.sep).join('/');
      const url = `(new URL(${JSON.stringify(place)}, import.meta.url).href)`;
      const name = `__pathOf(${url})`;
      const contents = text
        .replaceAll(/\bimport\.meta\.url\b/g, url)
        .replaceAll(/\bimport\.meta\.filename\b/g, name)
        .replaceAll(/\bimport\.meta\.dirname\b/g, `__folderOf(${name})`);
      return { contents, loader: 'js' };
    });
  },
});

// CommonJS code loads the modules of Node.js with `require`.
const moduleBanner = `
import { createRequire as __createRequire } from 'node:module';
import { dirname as __folderOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);`;

// The first import of the source (`bootstrap/disable-debug-output`) would run after the libraries of the bundle,
// which read `DEBUG` while they load and would print secrets.
const scriptBanner = `
delete process.env['DEBUG'];
const { createRequire: __createRequire } = require('node:module');
const { dirname: __folderOf } = require('node:path');
const { fileURLToPath: __pathOf, pathToFileURL: __urlOf } = require('node:url');
const __place = __urlOf(__filename).href;`;
