#!/usr/bin/env node
// npm create switchboard-platform <folder> <id> <name> <API origin> [--minimal | --store]
// Writes the folder of an adapter that passes its contract tests.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const usage = `usage: create-switchboard-platform <folder> <id> <name> <API origin> [--minimal | --store] [--kit <folder of tarballs>]
  <id>       lower snake case: my_platform
  --minimal  publishes text and nothing else; without it posts are also read back and removed
  --store    a store: lists and reads orders, refunds payments and reads refunds back
  --kit      installs the packages of Switchboard from tarballs (pnpm pack) instead of the registry
Example: create-switchboard-platform my-platform my_platform "My Platform" https://api.my-platform.com`;

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        minimal: { type: 'boolean', default: false },
        store: { type: 'boolean', default: false },
        kit: { type: 'string' },
      },
    });
  } catch {
    return null;
  }
}

const given = readArguments();
const [folder, id = '', name, api = ''] = given?.positionals ?? [];
const isOrigin = URL.canParse(api) && api.startsWith('https://') && new URL(api).origin === api;
const isAmbiguous = given?.values.minimal && given.values.store;
if (!given || isAmbiguous || !folder || !name || !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(id) || !isOrigin) {
  console.error(usage);
  process.exit(2);
}
if (existsSync(folder) && readdirSync(folder).length > 0) {
  console.error(`${folder} is not empty`);
  process.exit(2);
}

const template = path.resolve(import.meta.dirname, '../template');
cpSync(path.join(template, 'shared'), folder, { recursive: true });
cpSync(path.join(template, given.values.store ? 'store' : 'social'), folder, { recursive: true });
/** Between these lines is what `--minimal` leaves out. */
const full = /^ *\/\/ <full>\n([^]*?)^ *\/\/ <\/full>\n/gm;
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = path.join(entry.parentPath, entry.name);
  const text = readFileSync(file, 'utf8')
    .replace(full, given.values.minimal ? '' : '$1')
    .replaceAll('acme', id)
    .replaceAll('Acme', name)
    .replaceAll('https://api.example.com', api)
    .replaceAll('2026-11-26', new Date().toISOString().slice(0, 10));
  writeFileSync(file, text);
}

const description = path.join(folder, 'package.json');
const content = JSON.parse(readFileSync(description, 'utf8'));
content.name = `switchboard-platform-${id.replaceAll('_', '-')}`;
if (given.values.kit !== undefined) {
  const tarballs = readdirSync(given.values.kit).filter((file) => file.endsWith('.tgz'));
  for (const kind of ['dependencies', 'devDependencies']) {
    for (const own of Object.keys(content[kind])) {
      const start = own.replace(/^@/, '').replace('/', '-');
      const found = tarballs.find((file) => file.replace(/-\d.*$/, '') === start);
      if (found) content[kind][own] = `file:${path.resolve(given.values.kit, found)}`;
    }
  }
}
writeFileSync(description, `${JSON.stringify(content, null, 2)}\n`);
console.log(`${folder} was created. Next: cd ${folder}, npm install, npm test.`);
