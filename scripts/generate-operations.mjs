// Writes packages/operations/src/catalogue.ts: one import for each operation file. `--check` fails when it is out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const source = path.resolve(import.meta.dirname, '../packages/operations/src');
const files = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(path.join(source, name))
      .filter((file) => file.endsWith('.ts') && !/(-shape|\.test)\.ts$/.test(file))
      .map((file) => `${name}/${file.slice(0, -3)}`),
  )
  .filter((file) =>
    readFileSync(path.join(source, `${file}.ts`), 'utf8').includes('export default defineOperation('),
  )
  .sort();
const camel = (file) => path.basename(file).replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const text = `// Generated from the folders beside it by \`pnpm generate\`; do not edit.
import type { Operation } from './define.js';
${files.map((file) => `import ${camel(file)} from './${file}.js';`).join('\n')}

/** Every operation there is. */
export const catalogue: readonly Operation[] = [
${files.map((file) => `  ${camel(file)},`).join('\n')}
];
`;
const target = path.join(source, 'catalogue.ts');
const before = (() => {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return '';
  }
})();
if (before !== text) {
  if (process.argv.includes('--check')) {
    console.error('packages/operations/src/catalogue.ts is out of date: run `pnpm generate`.');
    process.exit(1);
  }
  writeFileSync(target, text);
}
