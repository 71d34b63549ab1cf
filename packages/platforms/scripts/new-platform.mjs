// Writes the folder of a new platform from src/template: pnpm new:platform my_platform "My Platform"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const src = path.resolve(import.meta.dirname, '../src');
const [id, name = id] = process.argv.slice(2);
if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(id ?? '')) {
  console.error('usage: pnpm new:platform <id> [name], where the id is lower snake case: my_platform');
  process.exit(1);
}
const folder = path.join(src, id.replaceAll('_', '-'));
if (existsSync(folder)) {
  console.error(`${path.relative(process.cwd(), folder)} is there already`);
  process.exit(1);
}

const template = path.join(src, 'template');
for (const entry of readdirSync(template, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const from = path.join(entry.parentPath, entry.name);
  const to = path.join(folder, path.relative(template, from));
  mkdirSync(path.dirname(to), { recursive: true });
  const text = readFileSync(from, 'utf8').replaceAll(`'acme'`, `'${id}'`).replaceAll('Acme', name);
  writeFileSync(to, text);
}
await import('./generate-catalogue.mjs');
console.log(
  `${path.relative(process.cwd(), folder)} is written. docs/adding-a-platform.md says what comes next.`,
);
