import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cruise } from 'dependency-cruiser';

const root = path.resolve(import.meta.dirname, '..');
const { options, forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

/** The "Direction" of docs/architecture.md, independently written: the allowed imports. */
const allowed = {
  domain: [],
  'fault-injection': [],
  sandbox: ['fault-injection'],
  simulators: ['fault-injection'],
  client: [],
  'create-switchboard-platform': [],
  operations: ['domain'],
  charts: ['domain'],
  egress: ['domain'],
  jobs: ['domain'],
  media: ['domain'],
  oauth: ['domain'],
  'authorization-server': ['domain'],
  persistence: ['domain'],
  'platform-kit': ['domain'],
  platforms: ['platform-kit'],
  vault: ['domain'],
  bootstrap:
    'authorization-server charts domain egress jobs media oauth operations persistence platform-kit platforms sandbox vault'.split(
      ' ',
    ),
  cli: ['bootstrap', 'domain', 'operations'],
  rest: ['bootstrap', 'domain', 'operations'],
  mcp: ['bootstrap', 'domain', 'operations'],
  acceptance:
    'authorization-server bootstrap charts cli client domain egress jobs mcp media oauth operations persistence platform-kit platforms rest sandbox simulators vault'.split(
      ' ',
    ),
  benchmarks:
    'acceptance authorization-server bootstrap charts cli client domain egress jobs mcp media oauth operations persistence platform-kit platforms rest sandbox simulators vault'.split(
      ' ',
    ),
};
const folders = ['apps', 'packages'].flatMap((kind) =>
  readdirSync(path.join(root, kind)).map((name) => `${kind}/${name}`),
);
const nameOf = (folder) => path.basename(folder);

let planted;
const write = (file, text) => {
  mkdirSync(path.dirname(path.join(planted, file)), { recursive: true });
  writeFileSync(path.join(planted, file), text);
};

let violations;
async function findViolations() {
  const cwd = process.cwd();
  process.chdir(planted); // the rules contain paths relative to the working directory
  try {
    const { output } = await cruise(
      // Not a glob, which would follow the circular links in node_modules.
      folders.map((folder) => `${folder}/src`),
      { ...options, tsConfig: undefined, ruleSet: { forbidden }, validate: true, baseDir: planted },
      undefined,
    );
    return output.summary.violations;
  } finally {
    process.chdir(cwd);
  }
}

/** A file for each rule, which it breaks. */
const forbiddenImports = [
  ['domain-is-pure', 'packages/domain/src/node.ts', "import fs from 'node:fs';\nexport default fs;\n"],
  [
    'domain-is-pure',
    'packages/domain/src/node-type.ts',
    "import type { Stats } from 'node:fs';\nexport type A = Stats;\n",
  ],
  [
    'no-unresolvable',
    'packages/jobs/src/undeclared.ts',
    "import zod from 'undeclared-package';\nexport default zod;\n",
  ],
  [
    'platforms-stand-alone',
    'packages/platforms/src/x/other-platform.ts',
    "import { b } from '../bluesky/b.js';\nexport default b;\n",
  ],
  [
    'client-runs-in-browsers',
    'packages/client/src/node.ts',
    "import { randomUUID } from 'node:crypto';\nexport default randomUUID;\n",
  ],
  [
    'programs-without-jest',
    'packages/acceptance/src/chaos/contracts.ts',
    "import '../../../domain/dist/testing/index.js';\n",
  ],
  ['no-circular', 'packages/vault/src/c.ts', "import { d } from './d.js';\nexport const c = () => d;\n"],
  ['packages/jobs-imports', 'packages/jobs/src/by-path.ts', "export { b } from '../../vault/src/b.js';\n"],
  ['packages/vault-test-imports', 'packages/vault/src/a.test.ts', "import '@switchboard/persistence';\n"],
];
/** Files that break none, and what the ones above import. */
const allowedImports = [
  ['packages/domain/dist/testing/index.js', 'export const builders = 1;\n'],
  ['packages/acceptance/src/chaos/a.test.ts', "import '../../../domain/dist/testing/index.js';\n"],
  ['packages/platforms/src/bluesky/b.ts', 'export const b = 1;\n'],
  ['packages/vault/src/b.ts', 'export const b = 1;\n'],
  ['packages/vault/src/d.ts', "import { c } from './c.js';\nexport const d = () => c;\n"],
  ['packages/platforms/src/graph/k.ts', 'export const k = 1;\n'],
  ['packages/platforms/src/x/k.ts', "import { k } from '../graph/k.js';\nexport default k;\n"],
  ['packages/jobs/src/k.test.ts', "import '@switchboard/persistence';\n"],
];

/** A copy of the workspace in which every package can resolve every other, as if all had declared it. */
beforeAll(async () => {
  planted = mkdtempSync(path.join(os.tmpdir(), 'switchboard-direction-'));
  for (const folder of folders) {
    const { name } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    write(
      `${folder}/package.json`,
      JSON.stringify({ name, type: 'module', exports: { '.': './dist/index.js' } }),
    );
    write(`${folder}/dist/index.js`, 'export const marker = 1;\n');
    for (const other of folders) {
      const link = path.join(planted, folder, 'node_modules/@switchboard', nameOf(other));
      mkdirSync(path.dirname(link), { recursive: true });
      symlinkSync(path.join(planted, other), link);
      if (other === folder) continue;
      const text = `import { marker } from '@switchboard/${nameOf(other)}';\nexport default marker;\n`;
      write(`${folder}/src/imports-${nameOf(other)}.ts`, text);
    }
  }
  for (const [file, text] of allowedImports) write(file, text);
  for (const [, file, text] of forbiddenImports) write(file, text);
  violations = await findViolations();
});
afterAll(() => rmSync(planted, { recursive: true, force: true }));

test('the table of directions names every package and app', () => {
  expect(Object.keys(allowed).sort()).toEqual(folders.map(nameOf).sort());
});

test('finds every import against the direction, and no other', () => {
  const found = new Set(
    violations
      .filter(({ from, rule }) => /\/imports-[\w-]+\.ts$/.test(from) && rule.name.endsWith('-imports'))
      .map((violation) => `${violation.from.split('/')[1]} imports ${violation.to.split('/')[1]}`),
  );
  const expected = folders.flatMap((folder) =>
    folders
      .filter((other) => other !== folder && !allowed[nameOf(folder)].includes(nameOf(other)))
      .map((other) => `${nameOf(folder)} imports ${nameOf(other)}`),
  );
  expect([...found].sort()).toEqual(expected.sort());
});

test.each(forbiddenImports)('detects %s in a planted %s', (rule, file) => {
  const found = violations.filter((violation) => violation.from === file);
  expect(found.map((violation) => violation.rule.name)).toContain(rule);
});

test('a platform may import the kit, and a test what its package declares for tests', () => {
  expect(violations.filter((violation) => /\/k\.(test\.)?ts$/.test(violation.from))).toEqual([]);
});
