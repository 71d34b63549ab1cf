// Writes what MCP over stdio is started with: dist/tools.json, the tools as they are listed, and dist/bundle/, the program
// with everything that it imports. To find and read a thousand modules takes longer than all that they do at start.
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { catalogue } from '@switchboard/operations';
import { build } from 'esbuild';
import { listedTools } from './dist/listed-tools.js';

const dist = path.join(import.meta.dirname, 'dist');
const outdir = path.join(dist, 'bundle');

/** A module that looks for something beside itself goes on looking where it came from. */
const originalPlaces = {
  name: 'original-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      if (!/\bimport\.meta\.(url|dirname)\b/.test(text)) return null;
      const place = path.relative(outdir, file).split(path.sep).join('/');
      const url = `(new URL(${JSON.stringify(place)}, import.meta.url).href)`;
      const folder = `__dirname(__fileURLToPath(${url}))`;
      const contents = text
        .replaceAll(/\bimport\.meta\.url\b/g, url)
        .replaceAll(/\bimport\.meta\.dirname\b/g, folder);
      return { contents, loader: 'js' };
    });
  },
};

// What is CommonJS asks for the modules of Node.js with `require`.
const banner = `
import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirname } from 'node:path';
import { fileURLToPath as __fileURLToPath } from 'node:url';
const require = __createRequire(import.meta.url);`;

await writeFile(path.join(dist, 'tools.json'), JSON.stringify(listedTools(catalogue)));
await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: [path.join(dist, 'stdio.js')],
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Optional, and not installed.
  external: ['pg-native'],
  plugins: [originalPlaces],
  banner: { js: banner },
  logLevel: 'warning',
});
