import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Writes compiled programs of one folder with everything that they import into the folder `bundle` beside them. To find and
 * read a thousand modules takes longer than all that most programs do at start.
 */
export async function bundle(folder, ...programs) {
  const outdir = path.join(folder, 'bundle');
  await rm(outdir, { recursive: true, force: true });
  await build({
    entryPoints: programs.map((program) => path.join(folder, program)),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Optional and not installed; and what finds its files by where it lies.
    external: ['pg-native', 'swagger-ui-dist'],
    plugins: [originalPlaces(outdir)],
    banner: { js: banner },
    logLevel: 'warning',
  });
  await writeFile(path.join(outdir, 'quiet.js'), `delete process.env['DEBUG'];\n`);
}

/** A module that looks for something beside itself goes on looking where it came from. */
const originalPlaces = (outdir) => ({
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

// What is imported first in the source (`bootstrap/quiet`) comes after the libraries in a bundle, which look at `DEBUG` as they are
// loaded and would print secrets. What is CommonJS asks for the modules of Node.js with `require`.
const banner = `
import './quiet.js';
import { createRequire as __createRequire } from 'node:module';
import { dirname as __folderOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);`;
