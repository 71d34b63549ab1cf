/* eslint vocabulary/words: off -- the planted violations */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ESLint } from 'eslint';

const root = path.resolve(import.meta.dirname, '..');
const eslint = new ESLint({ cwd: root });

async function rulesBrokenBy(text, filePath) {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: path.join(root, filePath) });
  return result.messages.map((message) => message.ruleId);
}

const product = 'packages/jobs/src/planted.ts';
const adapter = 'packages/platforms/src/bluesky/planted.ts';
const sdk = "import { Server } from '@modelcontextprotocol/sdk/server/index.js';";
test.each([
  ['no-restricted-properties', 'export const at = Date.now();', product],
  ['no-restricted-syntax', 'export const at = new Date();', product],
  ['no-restricted-syntax', 'export const at = Date();', product],
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
  ['no-restricted-syntax', 'export const both = { ...{ a: 1, b: 2 }, c: 3 };', product],
  [
    'no-restricted-syntax',
    'export const both = { ...{ a: 1, b: 2 }, c: 3 };',
    'packages/jobs/src/planted.test.ts',
  ],
  ['no-restricted-syntax', 'export const both = { ...{ a: 1, b: 2 }, c: 3 };', 'scripts/planted.mjs'],
  ['@typescript-eslint/no-explicit-any', 'export const anything: any = 1;', product],
  ['vocabulary/type-names', 'export interface Told { readonly at: Date }', product],
  ['vocabulary/type-names', 'export type Answer = string;', 'packages/jobs/src/planted.test.ts'],
  ['vocabulary/type-names', 'export class Keysmith {}', product],
  ['vocabulary/words', '// Whoever reads this may end it.\nexport const a = 1;', product],
  ['vocabulary/words', '/** Changed by\n * hand. */\nexport const a = 1;', product],
  ['vocabulary/words', "export const title = 'No pictures were found';", product],
  ['vocabulary/words', "export const title = 'Nobody\\u2019s choice';", 'packages/jobs/src/planted.test.ts'],
  ['vocabulary/words', 'export const html = (n) => `<p>The page was told ${n}</p>`;', product],
  ['vocabulary/words', '// The lease lapsed.\nexport const a = 1;', 'scripts/planted.mjs'],
  ['vocabulary/words', '// A "picture" of the strangers.\nexport const a = 1;', product],
  ['no-restricted-globals', 'export const later = setTimeout;', 'packages/domain/src/planted.ts'],
  ['no-restricted-globals', 'export const bytes = Buffer;', 'packages/domain/src/planted.ts'],
  // Finding 61: an adapter that bypasses the session.
  ['no-restricted-properties', 'export const at = Date.now();', adapter],
  ['no-restricted-globals', "export const page = fetch('https://example.org');", adapter],
  ['no-restricted-globals', "export const socket = new WebSocket('wss://example.org');", adapter],
  ['no-restricted-properties', "export const fs = process.getBuiltinModule('node:fs');", adapter],
  ['no-restricted-syntax', "export const fs = import('node:fs');", adapter],
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
])('%s rejects `%s` in %s', async (rule, text, file) => {
  expect(await rulesBrokenBy(text, file)).toContain(rule);
});

test.each([
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
])('accepts `%s` in %s', async (text, file) => {
  expect(await rulesBrokenBy(text, file)).toEqual([]);
});

test('opening one border of a file keeps the others closed', async () => {
  expect(await rulesBrokenBy('export const at = Date.now();', 'packages/bootstrap/src/env.ts')).toEqual([
    'no-restricted-properties',
  ]);
});

// The rules that need types, and the compiler's own checks, run in oxlint, which reads files.
const sleeps = 'const sleep = async () => {};';
const union = "type Kind = 'post' | 'refund';";
test.each([
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
])('the check of types %s rejects `%s`', (rule, text) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-lint-'));
  try {
    const compilerOptions = { strict: true, target: 'es2024', lib: ['es2024'], types: [] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(path.join(folder, 'planted.ts'), `${text}\nexport {};\n`);
    const { stdout } = spawnSync(
      path.join(root, 'node_modules/.bin/oxlint'),
      ['-c', path.join(root, '.oxlintrc.json'), '--format', 'unix', folder],
      { encoding: 'utf8' },
    );
    expect(stdout).toContain(`typescript(${rule})`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
