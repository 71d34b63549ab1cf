// Writes src/catalog.ts: one import for every folder of src that has an index.ts. With --check it only
// compares.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const src = path.resolve(import.meta.dirname, '../src');
const file = path.join(src, 'catalog.ts');
const camel = (name) => name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());

const folders = readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.name !== 'template') // The template that new platforms are copied from.
  .filter((entry) => entry.isDirectory() && existsSync(path.join(src, entry.name, 'index.ts')))
  .map((entry) => entry.name)
  .sort();

const text = `// Generated from the folders beside it by \`pnpm run generate\`. Never edited.
import type { Platform } from '@switchboard/platform-kit';
${folders.map((folder) => `import ${camel(folder)} from './${folder}/index.js';\n`).join('')}
// oxfmt-ignore
export const catalog: readonly Platform[] = [
${folders.map((folder) => `  ${camel(folder)},\n`).join('')}];
`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  console.error('packages/platforms/src/catalog.ts is out of date; run pnpm run generate');
  process.exit(1);
}
