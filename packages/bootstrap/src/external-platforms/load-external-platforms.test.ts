import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { API_VERSION } from '@switchboard/platform-kit';
import { loadExternalPlatforms } from './load-external-platforms.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'external-platforms-'));
  const scope = path.join(folder, 'node_modules/@switchboard');
  mkdirSync(scope, { recursive: true });
  symlinkSync(path.resolve(import.meta.dirname, '../../../platform-kit'), path.join(scope, 'platform-kit'));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The source of an adapter; `facts` are members of the manifest as text. */
const adapter = (facts = '', members = '', before = '') => `${before}
import { definePlatform, ok } from '@switchboard/platform-kit';
import { keyLogin, requiredField, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
const manifest = {
  ...socialPlatform,
  id: 'fern', name: 'Fern',
  connect: [keyLogin({
    id: 'key', label: 'Connect',
    fields: [requiredField('password', 'key', 'Key', 'From your settings.')],
    keyForm: { serverField: null, send: { kind: 'bearer', field: 'key' } },
  })],
  permissions: { publishing: [] },
  text: { max: 300, unit: 'code points', required: true },
  media: null,
  setup: { consoleUrl: null, reviewNeeded: false, pitfalls: [] },
  baseUrl: 'https://api.fern.social', authBaseUrl: null,
  evidence: 'simulator', verifiedOn: '2026-11-26', docsUrl: 'https://fern.social/docs',
  ${facts}
};
export default definePlatform({
  manifest,
  connecting: { identify: async () => ok([]) },
  publishing: { count: (text) => text.length, finalText: ({ text }) => text, publish: async () => ok({}) },
  ${members}
});`;

let count = 0;
function write(text: string, extension = 'mjs'): string {
  const file = path.join(folder, `adapter-${(count += 1)}.${extension}`);
  writeFileSync(file, text);
  return file;
}
const reasonFor = (text: string, extension?: string) => {
  const { platforms, rejected } = loadExternalPlatforms([write(text, extension)]);
  expect(platforms).toEqual([]);
  return rejected[0]?.reason;
};

test('an adapter is loaded from a path, is marked as external, and cannot change its manifest afterwards', () => {
  const file = write(`${adapter()}\nglobalThis.fernManifest = manifest;`);
  const { platforms, rejected } = loadExternalPlatforms([file]);
  expect(rejected).toEqual([]);
  expect(platforms.map(({ manifest }) => [manifest.id, manifest.source])).toEqual([['fern', 'external']]);
  (globalThis as { fernManifest?: { baseUrl: string } }).fernManifest!.baseUrl = 'https://elsewhere.net';
  expect(platforms[0]?.manifest.baseUrl).toBe('https://api.fern.social');
  expect(loadExternalPlatforms([file]).platforms[0]).toBe(platforms[0]);
});

test('an adapter is loaded from a TypeScript file, from the folder of a package, and as one of a list', () => {
  const source = adapter(`id: 'fern_two' as string,`);
  expect(loadExternalPlatforms([write(source, 'mts')]).platforms).toHaveLength(1);

  const pack = path.join(folder, 'fern-package');
  mkdirSync(path.join(pack, 'lib'), { recursive: true });
  writeFileSync(
    path.join(pack, 'package.json'),
    '{"name":"@fern/adapter","type":"module","exports":{".":"./lib/index.js"}}',
  );
  writeFileSync(path.join(pack, 'lib/index.js'), adapter(`id: 'fern_three',`));
  expect(loadExternalPlatforms([pack]).platforms.map(({ manifest }) => manifest.id)).toEqual(['fern_three']);

  const [one, two] = [write(adapter(`id: 'fern_a',`)), write(adapter(`id: 'fern_b',`))];
  const list = write(`import a from '${one}';\nimport b from '${two}';\nexport default [a, b];`);
  expect(loadExternalPlatforms([list]).platforms.map(({ manifest }) => manifest.id)).toEqual([
    'fern_a',
    'fern_b',
  ]);
});

test('an adapter that cannot be used is left out with the reason, and the others remain', () => {
  const bad = write(`throw new Error('a bug at the start');`);
  const good = write(adapter(`id: 'fern_good',`));
  const { platforms, rejected } = loadExternalPlatforms([bad, '@acme/not-installed', good]);
  expect(platforms.map(({ manifest }) => manifest.id)).toEqual(['fern_good']);
  expect(rejected).toEqual([
    { name: bad, reason: 'a bug at the start' },
    { name: '@acme/not-installed', reason: expect.stringContaining('it cannot be found') },
  ]);
});

test.each([
  ['the id of a built-in platform', adapter(`id: 'bluesky',`), 'the id bluesky is taken'],
  ['a base URL without TLS', adapter(`baseUrl: 'http://api.fern.social',`), 'baseUrl: an https origin'],
  ['a base URL with a path', adapter(`baseUrl: 'https://fern.social/api',`), 'is not an origin'],
  ['an analytics URL without TLS', adapter(`analyticsBaseUrl: 'http://fern.social',`), 'analyticsBaseUrl'],
  [
    'a further URL without TLS',
    adapter(`otherBaseUrls: { accounts: 'http://fern.social' },`),
    'otherBaseUrls.accounts',
  ],
  [
    'a further URL with the name of a field',
    adapter(`otherBaseUrls: { upload: 'https://up.fern.social' },`),
    'the origin upload has a field of its own',
  ],
  ['a sandbox flag', adapter(`sandbox: true,`), 'sandbox'],
  ['an ability without permissions', adapter(`permissions: {},`), 'permissions for publishing are missing'],
  ['functions in its manifest', adapter(`docsUrl: () => 'https://fern.social',`), 'contains functions'],
  [
    'the app of another platform',
    adapter(`connect: [{
      id: 'oauth', scheme: 'oauth2', label: 'X', fields: [], needsApp: true, appPlatform: 'facebook',
      oauth2: { authorizePath: '/a', tokenPath: '/t', revokePath: null, permissions: [], pkce: false, clientAuth: 'body', issuerPath: null },
    }],`),
    'cannot use the app of another',
  ],
  ['node:http', adapter('', '', `import 'node:http';`), 'it imports node:http'],
  [
    'an ability that is no function',
    `${adapter()}`.replace('publish: async () => ok({})', 'publish: 1'),
    'publishing.publish',
  ],
  ['no default export', 'export const platform = 1;', 'no platform'],
  ['await at its top level', `await null;\nexport default 1;`, 'await at the top level'],
])('%s is refused with a reason that names it', (_name, text, reason) => {
  expect(reasonFor(text)).toContain(reason);
});

test.each([
  ['2.0', `it was built for version 2.0 of the platform kit, and this Switchboard has ${API_VERSION}`],
  ['1.99', 'it was built for version 1.99'],
  ['one', 'it was built for version one'],
])('an adapter for version %s of the interface is refused', (version, reason) => {
  expect(
    reasonFor(
      adapter().replace('export default', 'const own =') +
        `\nexport default { ...own, apiVersion: '${version}' };`,
    ),
  ).toContain(reason);
});

test('a platform that no definePlatform made has no version, and is refused', () => {
  expect(reasonFor('export default { manifest: {} };')).toContain('has no apiVersion');
});

test('what an adapter imports cannot import the network either, at once or later', async () => {
  const helper = write(`export { request } from 'node:https';`);
  expect(reasonFor(adapter('', '', `import '${helper}';`))).toContain('it imports node:https');
  expect(reasonFor(`require('http');\nmodule.exports = {};`, 'cjs')).toContain('it imports http');
  const late = write(
    adapter(`id: 'fern_late',`).replace('async () => ok([])', `async () => import('node:net')`),
  );
  const [platform] = loadExternalPlatforms([late]).platforms;
  await expect(platform?.connecting.identify({} as never)).rejects.toThrow('it imports node:net');
});
