// Generates code from the operation files: packages/operations/src/catalog.ts imports each of them, and
// packages/domain/src/use-cases.ts exports their use cases. `--check` writes nothing and fails when a file is
// out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const operations = path.join(root, 'packages/operations/src');
const domain = path.join(root, 'packages/domain/src');
const NOTE = 'Generated from packages/operations/src by `pnpm generate`; do not edit.';

const filesIn = (source) =>
  readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(path.join(source, name))
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => `${name}/${file.slice(0, -3)}`),
    )
    .sort();
const camel = (file) => path.basename(file).replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());

const operationFiles = filesIn(operations)
  .map((file) => ({ file, text: readFileSync(path.join(operations, `${file}.ts`), 'utf8') }))
  .filter(({ text }) => text.includes('export default defineOperation('));

const useCases = new Set(operationFiles.map(({ text }) => /^ {2}useCase: (\w+),$/m.exec(text)?.[1]));
const useCaseFiles = filesIn(domain).filter((file) => useCases.has(camel(file)));

const targets = {
  [path.join(operations, 'catalog.ts')]: `// ${NOTE}
import type { Operation } from './define.js';
${operationFiles.map(({ file }) => `import ${camel(file)} from './${file}.js';`).join('\n')}

/** Every operation. */
export const catalog: readonly Operation[] = [
${operationFiles.map(({ file }) => `  ${camel(file)},`).join('\n')}
];
`,
  [path.join(domain, 'use-cases.ts')]: `// ${NOTE}
${useCaseFiles.map((file) => `export * from './${file}.js';`).join('\n')}
`,
};

for (const [file, text] of Object.entries(targets)) {
  let present = '';
  try {
    present = readFileSync(file, 'utf8');
  } catch {
    // The file does not exist yet.
  }
  if (present === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path.relative(root, file)} is out of date: run \`pnpm generate\` and commit it.`);
    process.exitCode = 1;
  } else writeFileSync(file, text);
}
