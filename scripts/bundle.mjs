import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // Optional and not installed; and what finds its files by where it lies.
  external: ['pg-native', 'swagger-ui-dist'],
  logLevel: 'warning',
};

/**
 * Writes compiled programs of one folder with everything that they import into the folder `bundle` beside them. To find and
 * read a thousand modules takes longer than all that most programs do at start.
 */
export async function bundle(folder, ...programs) {
  const outdir = path.join(folder, 'bundle');
  await rm(outdir, { recursive: true, force: true });
  await build({ ...modulesOf(folder, programs), banner: { js: moduleBanner } });
  await writeFile(path.join(outdir, 'disable-debug-output.js'), `delete process.env['DEBUG'];\n`);
}

/**
 * Writes one program with everything that it imports as one file, `bundle/<name>.cjs`, after `bundle`. What comes with an
 * `import()` is run when that is reached, not before. `scripts/one-file.mjs` runs it.
 */
export async function bundleAsOneFile(folder, program) {
  const parts = await build({ ...modulesOf(folder, [program]), write: false });
  const texts = new Map(parts.outputFiles.map(({ path: file, text }) => [file, text]));
  const { outputFiles } = await build({
    ...common,
    entryPoints: [path.join(folder, 'bundle', program)],
    format: 'cjs',
    // A script that is run with what was compiled of it can only ask with `require`.
    supported: { 'dynamic-import': false },
    // Comments are a third of it. An error still tells a line that somebody can find.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'none',
    define: { 'import.meta.url': '__place' },
    logOverride: { 'empty-import-meta': 'error' },
    plugins: [readFromMemory(texts)],
    banner: { js: scriptBanner },
    write: false,
  });
  // One byte a character is read without being looked at. Regular expressions and templates understand the escape as strings do.
  const ascii = outputFiles[0].text.replaceAll(/[^\0-\x7f]/g, (unit) => String.raw`\u${hex(unit)}`);
  const identity = createHash('sha256').update(ascii).digest('hex');
  await writeFile(path.join(folder, 'bundle', `${path.parse(program).name}.cjs`), `${ascii}// ${identity}\n`);
}

const hex = (unit) => unit.charCodeAt(0).toString(16).padStart(4, '0');

/** Files that have not been written. */
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

const modulesOf = (folder, programs) => {
  const outdir = path.join(folder, 'bundle');
  return {
    ...common,
    entryPoints: programs.map((program) => path.join(folder, program)),
    outdir,
    splitting: true,
    format: 'esm',
    plugins: [preserveModuleUrls(outdir)],
  };
};

/** A module that looks for something beside itself goes on looking where it came from. */
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

// What is imported first in the source (`bootstrap/disable-debug-output`) comes after the libraries in a bundle, which look at `DEBUG` as they are
// loaded and would print secrets. What is CommonJS asks for the modules of Node.js with `require`.
const moduleBanner = `
import './disable-debug-output.js';
import { createRequire as __createRequire } from 'node:module';
import { dirname as __folderOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);`;

const scriptBanner = `
delete process.env['DEBUG'];
const { createRequire: __createRequire } = require('node:module');
const { dirname: __folderOf } = require('node:path');
const { fileURLToPath: __pathOf, pathToFileURL: __urlOf } = require('node:url');
const __place = __urlOf(__filename).href;`;
