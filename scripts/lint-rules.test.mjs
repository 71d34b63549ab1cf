/* oxlint-disable switchboard/words -- the planted violations */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '..');
const folders = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function createFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-lint-'));
  folders.push(folder);
  return folder;
}

/** Lints a folder in one run. The function that it returns lists the rules that a file in it violates. */
function lint(folder, ...options) {
  const { stdout, stderr } = spawnSync(
    path.join(root, 'node_modules/.bin/oxlint'),
    [...options, '--format', 'json', '.'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (!stdout.startsWith('{')) throw new Error(`oxlint printed no report: ${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout);
  return (file) =>
    diagnostics
      .filter(({ filename }) => path.resolve(folder, filename) === path.join(folder, file))
      .map(({ code }) => code.replace(/^\w+\((.+)\)$/, '$1'));
}

/** The files of all tests, in folders as in the repository. A name that contains `planted` gets a number. */
const planted = new Map();
function plant(text, file) {
  const name = file.replace('planted', `planted-${planted.size}`);
  if (planted.has(name)) throw new Error(`${name} is planted twice`);
  planted.set(name, `${text}\n`);
  return name;
}

let report = null;
/** The rules that a planted file violates, without those that need types. */
function rulesBrokenBy(file) {
  report ??= lintPlanted();
  return report(file);
}

function lintPlanted() {
  const folder = createFolder();
  for (const file of ['package.json', 'scripts/oxlint-plugin.mjs'])
    cpSync(path.join(root, file), path.join(folder, file));
  cpSync(path.join(root, 'oxlint.config.ts'), path.join(folder, 'repository.config.ts'));
  writeFileSync(
    path.join(folder, 'oxlint.config.ts'),
    "import config from './repository.config.ts';\nexport default { ...config, options: {} };\n",
  );
  for (const [file, text] of planted) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return lint(folder);
}

const product = 'packages/jobs/src/planted.ts';
const adapter = 'packages/platforms/src/bluesky/planted.ts';
const sdk = "import { Server } from '@modelcontextprotocol/sdk/server/index.js';";
const violations = [
  ['no-restricted-properties', 'export const at = Date.now();', product],
  ['restricted-syntax', 'export const at = new Date();', product],
  ['restricted-syntax', 'export const at = Date();', product],
  ['no-restricted-properties', 'export const chance = Math.random();', product],
  ['no-restricted-properties', 'export const home = process.env.HOME;', product],
  ['no-restricted-properties', "export const home = process['env'];", product],
  ['no-restricted-properties', 'export const { env } = process;', product],
  ['no-restricted-imports', "import { env } from 'node:process';\nexport default env;", product],
  ['no-restricted-globals', "export const page = fetch('https://example.org');", product],
  ['no-restricted-properties', "export const page = globalThis.fetch('https://example.org');", product],
  ['no-restricted-imports', `${sdk}\nexport default Server;`, 'apps/mcp/src/planted.ts'],
  ['no-restricted-imports', `${sdk}\nexport default Server;`, product],
  ['no-console', "console.log('hello');", product],
  ['restricted-syntax', 'export const both = { ...{ a: 1, b: 2 }, c: 3 };', product],
  [
    'restricted-syntax',
    'export const both = { ...{ a: 1, b: 2 }, c: 3 };',
    'packages/jobs/src/planted.test.ts',
  ],
  ['restricted-syntax', 'export const both = { ...{ a: 1, b: 2 }, c: 3 };', 'scripts/planted.mjs'],
  ['no-explicit-any', 'export const anything: any = 1;', product],
  ['type-names', 'export interface Told { readonly at: Date }', product],
  ['type-names', 'export type Answer = string;', 'packages/jobs/src/planted.test.ts'],
  ['type-names', 'export class Keysmith {}', product],
  ['words', '// Whoever reads this may end it.\nexport const a = 1;', product],
  ['words', '/** Changed by\n * hand. */\nexport const a = 1;', product],
  ['words', "export const title = 'No pictures were found';", product],
  ['words', "export const title = 'Nobody\\u2019s choice';", 'packages/jobs/src/planted.test.ts'],
  ['words', 'export const html = (n) => `<p>The page was told ${n}</p>`;', product],
  ['words', '// The lease lapsed.\nexport const a = 1;', 'scripts/planted.mjs'],
  ['words', '// A "picture" of the strangers.\nexport const a = 1;', product],
  ['no-restricted-globals', 'export const later = setTimeout;', 'packages/domain/src/planted.ts'],
  ['no-restricted-globals', 'export const bytes = Buffer;', 'packages/domain/src/planted.ts'],
  // Finding 61: an adapter that bypasses the session.
  ['no-restricted-properties', 'export const at = Date.now();', adapter],
  ['no-restricted-globals', "export const page = fetch('https://example.org');", adapter],
  ['no-restricted-globals', "export const socket = new WebSocket('wss://example.org');", adapter],
  ['no-restricted-properties', "export const fs = process.getBuiltinModule('node:fs');", adapter],
  ['restricted-syntax', "export const fs = import('node:fs');", adapter],
  ...[
    ...[
      'net',
      'http',
      'https',
      'http2',
      'tls',
      'dgram',
      'dns',
      'fs',
      'fs/promises',
      'child_process',
      'module',
    ],
    ...[
      'undici',
      'undici/types',
      './testing/world.js',
      '@switchboard/platform-kit/testing/session',
      './index.test.js',
    ],
  ].flatMap((name) =>
    (/^(\.|@|undici)/.test(name) ? [name] : [name, `node:${name}`]).map((from) => [
      'no-restricted-imports',
      `import * as module from '${from}';\nexport default module;`,
      adapter,
    ]),
  ),
  ['no-restricted-imports', "export * from 'node:https';", 'packages/platform-kit/src/planted.ts'],
].map(([rule, text, file]) => [rule, text, plant(text, file)]);
test.each(violations)('%s rejects `%s` in %s', (rule, _text, file) => {
  expect(rulesBrokenBy(file)).toContain(rule);
});

const accepted = [
  ['export const at = Date.now();', 'packages/jobs/src/planted.test.ts'],
  ['export const at = Date.now();', 'packages/bootstrap/src/system-clock.ts'],
  ['export const home = process.env;', 'packages/bootstrap/src/env.ts'],
  ['export const at = new Date(0);', product],
  ['export const both = (a) => ({ ...(a && { a, b: 2 }), c: 3 });', 'scripts/planted.mjs'],
  ["export { createHash } from 'node:crypto';", adapter],
  ["export { ask } from '@switchboard/platform-kit/answers';", adapter],
  ["export { request } from 'node:https';", 'packages/platforms/src/bluesky/testing/planted.ts'],
  ["export { startWorld } from './testing/world.js';", 'packages/platforms/src/bluesky/planted.test.ts'],
  [`${sdk}\nexport default Server;`, 'apps/mcp/src/protocol/protocol-server.ts'],
  [`${sdk}\nexport default Server;`, 'apps/mcp/src/planted.test.ts'],
  ["console.log('hello');", 'packages/cli/src/planted.ts'],
  // Names that another system gave: an operating system's user, a platform's field, an address.
  ["// PostgreSQL runs as the user `nobody`.\nexport const user = 'nobody';", product],
  ['export const field = \'The field "picture" is missing\';', product],
  ["export const address = 'Hello @nobody.test and nobody@example.org';", product],
  ['// An outstanding filmstrip withstands it.\nexport const a = 1;', product],
].map(([text, file]) => [text, plant(text, file)]);
test.each(accepted)('accepts `%s` in %s', (_text, file) => {
  expect(rulesBrokenBy(file)).toEqual([]);
});

const openToEnvironment = plant('export const at = Date.now();', 'packages/charts/src/thread-charts.ts');
test('opening one border of a file keeps the others closed', () => {
  expect(rulesBrokenBy(openToEnvironment)).toEqual(['no-restricted-properties']);
});

// The rules that need types, and the compiler's own checks, read the tsconfig.json of their folder.
const sleeps = 'const sleep = async () => {};';
const union = "type Kind = 'post' | 'refund';";
const violationsOfTypes = [
  ['no-floating-promises', `${sleeps}\nsleep();`],
  ['no-misused-promises', `${sleeps}\nexport const list = [1].filter(sleep);`],
  ['await-thenable', 'export const one = async () => await 1;'],
  ['no-unsafe-assignment', "export const parsed: string = JSON.parse('1');"],
  ['restrict-template-expressions', 'export const text = (value: object) => `${value}`;'],
  [
    'unbound-method',
    'class Store {\n  read() {\n    return this;\n  }\n}\nexport const { read } = new Store();',
  ],
  [
    'switch-exhaustiveness-check',
    `${union}\nexport function name(kind: Kind) {\n  switch (kind) {\n    case 'post':\n      return 1;\n  }\n}`,
  ],
  ['TS2322', "export const count: number = 'one';"],
  ['TS2307', "import { missing } from './missing.js';\nexport const one = missing;"],
  ['TS2578', '// @ts-expect-error nothing is wrong\nexport const one = 1;'],
].map(([rule, text], index) => [rule, text, `planted-${index}.ts`]);
let reportOfTypes = null;
test.each(violationsOfTypes)('the check of types %s rejects `%s`', (rule, _text, file) => {
  reportOfTypes ??= lintTypes();
  expect(reportOfTypes(file)).toContain(rule);
});

function lintTypes() {
  const folder = createFolder();
  const compilerOptions = { strict: true, target: 'es2024', lib: ['es2024'], types: [] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  for (const [, text, file] of violationsOfTypes)
    writeFileSync(path.join(folder, file), `${text}\nexport {};\n`);
  return lint(folder, '-c', path.join(root, 'oxlint.config.ts'));
}
