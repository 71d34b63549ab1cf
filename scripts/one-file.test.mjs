import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

let folder;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'one-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (text, identity) =>
  writeFile(
    path.join(folder, 'program.cjs'),
    module.wrap(`const path = require('node:path');
exports.introduced = Promise.resolve();
console.log(${JSON.stringify(text)}, path.basename(__filename), typeof require('./package.json'));`) +
      `\n// ${identity.repeat(64)}\n`,
  );

async function run(cache = path.join(folder, 'cache')) {
  await writeFile(path.join(folder, 'package.json'), '{}');
  const oneFile = pathToFileURL(path.join(import.meta.dirname, 'one-file.mjs')).href;
  const script = `const { runOneFile } = await import(${JSON.stringify(oneFile)});
await runOneFile(${JSON.stringify(path.join(folder, 'program.cjs'))}, ${JSON.stringify(cache)});`;
  const args = ['--input-type=module', '--eval', script];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

async function kept() {
  const [name, ...others] = await readdir(path.join(folder, 'cache'));
  expect(others).toEqual([]);
  const file = path.join(folder, 'cache', name);
  return { name, file, writtenAt: (await stat(file)).mtimeMs };
}

test('caches the compiled code at the first start, and uses it at the next', async () => {
  await write('one', 'a');
  expect(await run()).toBe('one program.cjs object\n');
  const first = await kept();
  expect(await run()).toBe('one program.cjs object\n');
  expect(await kept()).toEqual(first);
});

test('never runs cached code of another text, even of the same length', async () => {
  await write('one', 'a');
  await run();
  await write('two', 'b');
  expect(await run()).toMatch(/^two /);
  expect((await kept()).name).toMatch(/^b{64}-/);
});

test('replaces a cache that V8 rejects', async () => {
  await write('one', 'a');
  await run();
  const { file } = await kept();
  const good = (await readFile(file)).length;
  await writeFile(file, 'nonsense');
  expect(await run()).toMatch(/^one /);
  expect((await readFile(file)).length).toBe(good);
});

test('runs when no cache can be written', async () => {
  await write('one', 'a');
  expect(await run(path.join(folder, 'package.json', 'cache'))).toMatch(/^one /);
});
