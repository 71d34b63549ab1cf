// Writes the folder of a new platform from src/template: pnpm new:platform my_platform "My Platform"
// https://api.my-platform.com
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const src = path.resolve(import.meta.dirname, '../src');
const [id, name, api, login = api] = process.argv.slice(2);
/**
 * The origin of a public host. Names that RFC 2606 reserves have no owner, and every installation would send
 * requests to them.
 */
const isOrigin = (text) =>
  URL.canParse(text) &&
  new URL(text).origin === text.replace(/\/$/, '') &&
  /^https:\/\/[^:]+\.(?!(example|invalid|test|localhost)$)[a-z][a-z0-9-]+$/.test(new URL(text).origin) &&
  !/(^|\.)example\.(com|net|org)$/.test(new URL(text).hostname);
if (
  !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(id ?? '') ||
  !name ||
  ![api, login].every((url) => isOrigin(url ?? ''))
) {
  console.error(
    'usage: pnpm new:platform <id> <name> <API origin> [<origin of the token endpoint>]\n' +
      'The id is lower snake case, the origins are those of the platform: my_platform "My Platform" https://api.my-platform.com https://my-platform.com',
  );
  process.exit(1);
}
const folder = path.join(src, id.replaceAll('_', '-'));
if (existsSync(folder)) {
  console.error(`${path.relative(process.cwd(), folder)} already exists`);
  process.exit(1);
}

const template = path.join(src, 'template');
for (const entry of readdirSync(template, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const from = path.join(entry.parentPath, entry.name);
  const to = path.join(folder, path.relative(template, from));
  mkdirSync(path.dirname(to), { recursive: true });
  const text = readFileSync(from, 'utf8')
    .replaceAll(`'acme'`, `'${id}'`)
    .replaceAll('Acme', name)
    .replaceAll(`'https://api.acme.example'`, `'${new URL(api).origin}'`)
    .replaceAll(`'https://acme.example'`, `'${new URL(login).origin}'`)
    .replaceAll(`'https://developers.acme.example/docs'`, `'${new URL(login).origin}'`)
    .replaceAll(`'https://developers.acme.example/'`, 'null')
    .replace(/(?<=verifiedOn: ')[\d-]+/, new Date().toISOString().slice(0, 10));
  writeFileSync(to, text);
}
await import('./generate-catalog.mjs');
console.log(`${path.relative(process.cwd(), folder)} created. Next steps: docs/adding-a-platform.md.`);
