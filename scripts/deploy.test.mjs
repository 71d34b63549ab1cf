import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './turbo.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const files = globSync('deploy/**/*', { cwd: root, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
const configuration = read('docs/configuration.md');
/** Read by the compose file itself, for other images or names. */
const OF_COMPOSE = ['SWITCHBOARD_HOST', 'SWITCHBOARD_MCP_HOST'];

test('there is an image, a compose file, a chart and a unit', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'deploy/Caddyfile',
      'deploy/Dockerfile',
      'deploy/compose.yaml',
      'deploy/helm/switchboard/Chart.yaml',
      'deploy/systemd/switchboard@.service',
    ]),
  );
});

test.each(files)('%s names only settings, programs and metrics that exist', (file) => {
  const text = read(file);
  const variables = [...text.matchAll(/\b(?:SWITCHBOARD|OTEL)_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name);
  const unknown = variables.filter(
    (name) =>
      !OF_COMPOSE.includes(name) && !configuration.includes(`\`${name}\``) && !text.includes(`${name}_<`),
  );
  expect([...new Set(unknown)]).toEqual([]);
  for (const [program, folder, name] of text.matchAll(
    /\b((?:apps|packages)\/\w+)\/dist\/bundle\/(\w+)\.js/g,
  )) {
    expect([program, read(`${folder}/bundle.mjs`)]).toEqual([
      program,
      expect.stringContaining(`'${name}.js'`),
    ]);
  }
  const operating = read('docs/operating.md');
  for (const [metric] of text.matchAll(/\bswitchboard_[a-z]+_[a-z_]+\b/g))
    expect(operating).toContain(`\`${metric}`);
});

test('the example of its settings has every variable that the compose file requires, and no other', () => {
  const compose = read('deploy/compose.yaml').replaceAll(/^\s*#.*$/gm, '');
  const required = [...compose.matchAll(/(?<!\$)\$\{(\w+)(?!:-)[:}]/g)].map(([, name]) => name);
  const optional = [...compose.matchAll(/\$\{(\w+):-\}/g)].map(([, name]) => name);
  const example = [...read('deploy/compose.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  expect(required).toContain('POSTGRES_PASSWORD');
  expect(example.toSorted()).toEqual([...new Set([...required, ...optional])].toSorted());
});

test('the chart has the version of the repository', () => {
  const { version } = JSON.parse(read('package.json'));
  expect(read('deploy/helm/switchboard/Chart.yaml')).toMatch(new RegExp(`^appVersion: ${version}$`, 'm'));
});

test('the image and the chart run as another user than root, on a read-only file system', () => {
  expect(read('deploy/Dockerfile')).toMatch(/^USER 10001:10001$/m);
  expect(read('deploy/compose.yaml')).toMatch(/^ {2}read_only: true$/m);
  const helpers = read('deploy/helm/switchboard/templates/_helpers.tpl');
  for (const line of [
    'readOnlyRootFilesystem: true',
    'runAsNonRoot: true',
    'allowPrivilegeEscalation: false',
  ])
    expect(helpers).toContain(line);
});
