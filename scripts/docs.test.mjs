// Everything that the documents name exists: identifiers, files, routes, commands, variables, links, and the
// code that they show.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '..');
const read = (file) => readFileSync(path.join(root, file), 'utf8');
const SKIPPED = new Set(['node_modules', 'dist', 'screenshots']);
/** The files of the repository, without installed and built ones. */
function filesBelow(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (!entry.isDirectory()) return [name];
    return SKIPPED.has(entry.name) || /^\.(?!ci$|github$)/.test(entry.name) ? [] : filesBelow(name);
  });
}
const repositoryFiles = filesBelow('.');

const documents = repositoryFiles.filter(
  (file) =>
    /^(README|CONTRIBUTING|STYLE|SECURITY)\.md$/.test(file) ||
    (/^docs\/.*\.md$/.test(file) && !file.startsWith('docs/generated/')),
);

/** Names of other software, and placeholders: they occur in documents only. */
const EXTERNAL = new Set(
  `McpServer registerTool createMcpHandler serveStdio devEngines initializers applications_vacuum rack_attack minio ffmpeg ffprobe formidable multer
  throttle_oauth_application_registrations depends_on psql pg_cancel_backend pg_dump discover setLevel sampling sep1034 sep1330
  enums sse polling lifecycle unsubscribe pdfjs environ GetObject PutObject DeleteObject AbortMultipartUpload ListBucket
  client_max_body_size proxy_request_buffering Referer helpers add_things doorkeeper gitleaks instagram_page unknown_ not_sent_
  switchboard_process_ switchboard_nodejs_ toml tcp_retries2 commit_delay synchronous_standby_names`.split(
    /\s+/,
  ),
);

const ignored = read('.gitignore').split('\n');
const isIgnored = (folder) => ignored.some((line) => line !== '' && `${folder}/`.endsWith(line));

const words = new Set();
for (const file of repositoryFiles) {
  if (!/\.(ts|mjs|cjs|js|json|prisma|sql|yaml|css|html)$/.test(file)) continue;
  if (
    file.includes('/fixtures/') ||
    file.includes('/src/generated/') ||
    file === 'pnpm-lock.yaml' ||
    file === 'scripts/docs.test.mjs'
  )
    continue;
  for (const [word] of read(file).matchAll(/[A-Za-z_$][\w$]*/g)) words.add(word);
}

const { scripts } = JSON.parse(read('package.json'));
const PNPM_COMMANDS = ['install', 'run', 'exec', 'audit', 'add', 'switchboard'];
const routes = repositoryFiles
  .filter((file) => /^apps\/(rest|mcp)\/src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'))
  .flatMap((file) =>
    [...read(file).matchAll(/\.(?:get|post|put|use)\(\s*\[?['`](\/[^'`]*)/g)].map(([, route]) => route),
  );
const openapi = JSON.parse(read('docs/generated/openapi.json'));
const knownRoutes = [...Object.keys(openapi.paths), ...routes];
const isParameter = (segment) => /^[:{<…]/.test(segment);
/** A parameter matches any segment; a route that ends in a slash is a prefix. */
function isRoute(route) {
  const named = route.replace(/[?#].*$/, '').split('/');
  return knownRoutes.some((known) => {
    const segments = known.split('/');
    const compared = named.at(-1) === '' ? named.slice(0, -1) : named;
    if (named.at(-1) !== '' && segments.length !== compared.length) return false;
    return compared.every(
      (one, index) =>
        one === segments[index] ||
        (segments[index] !== undefined && (isParameter(one) || isParameter(segments[index]))),
    );
  });
}

const withoutCode = (text) => text.replace(/```[\s\S]*?```/g, '');
const spansOf = (text) => [...withoutCode(text).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span);
const shellOf = (text) =>
  [...text.matchAll(/```(?:sh)?\n([\s\S]*?)```/g)].flatMap(([, block]) => block.split('\n'));
/** The anchor of a heading on GitHub. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const suffixes = new Set(
  repositoryFiles.flatMap((file) => {
    const parts = file.split('/');
    return parts.map((_, index) => parts.slice(index).join('/'));
  }),
);
const directories = new Set(
  [...suffixes].flatMap((file) => {
    const parts = file.split('/');
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
  }),
);

/** The names in a document that do not exist in the repository, by kind. */
const checks = {
  'identifiers, error codes and variables': (text) =>
    spansOf(text).flatMap((span) =>
      [...span.matchAll(/[A-Za-z_$][\w$]*/g)]
        .map(([word]) => word)
        .filter((word) => word.length > 2 && !words.has(word) && !EXTERNAL.has(word) && !suffixes.has(span)),
    ),

  files: (text) => [
    ...spansOf(text).filter(
      (span) =>
        /^[\w@.-]+(\/[\w@.-]+)*\.(ts|mjs|cjs|json|md|sql|prisma)$/.test(span) &&
        !suffixes.has(span) &&
        !isElsewhere(span),
    ),
    ...spansOf(text)
      .filter((span) => /^(apps|packages|prisma|scripts|docs)\/([\w.-]+\/)*[\w-]*$/.test(span))
      .map((folder) => folder.replace(/\/$/, ''))
      .filter((name) => !suffixes.has(name) && !directories.has(name) && !isIgnored(name)),
  ],

  routes: (text) =>
    spansOf(text).flatMap((span) => {
      const [, route] =
        /^(?:(?:GET|POST|PUT|PATCH|DELETE) )?(\/(?:v1\/|connect|oauth|docs|media|mcp|healthz|readyz|metrics)\b\S*)$/.exec(
          span,
        ) ?? [];
      return route === undefined || isRoute(route) ? [] : [route];
    }),

  commands: (text) =>
    [...spansOf(text), ...shellOf(text)].flatMap((line) => {
      const [, script] = /^(?:npx -y )?pnpm(?:@\d+)?(?: --silent)? ([a-z][\w:-]*)/.exec(line) ?? [];
      const [, command] =
        /(?:^|pnpm |--silent )switchboard ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/.exec(line) ?? [];
      return [
        ...(script === undefined || script in scripts || PNPM_COMMANDS.includes(script) ? [] : [script]),
        ...(command === undefined || isCommand(command) ? [] : [command]),
      ];
    }),

  links: (text, file) =>
    [...withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)]
      .map(([, target]) => target)
      .filter((target) => {
        const [to = '', anchor] = target.split('#');
        const linked = path.join(path.dirname(file), to === '' ? path.basename(file) : to);
        if (!existsSync(path.join(root, linked))) return true;
        if (anchor === undefined) return false;
        return ![...read(linked).matchAll(/^#+ (.*)$/gm)].some(([, heading]) => anchorOf(heading) === anchor);
      }),

  /** A block of TypeScript begins with the path of its source file; `// …` replaces omitted code. */
  'TypeScript that compiles': (text) =>
    [...text.matchAll(/```ts\n([\s\S]*?)```/g)].flatMap(([, code]) => {
      const [, source] = /^\/\/ (\S+\.ts)\n/.exec(code) ?? [];
      if (source === undefined || !suffixes.has(source)) return [code];
      // Prettier formats an excerpt differently.
      const flat = (part) => part.replace(/,(?=\s*[)\]}])|\s+/g, '').replace(/[,;]$/, '');
      const whole = flat(read(source));
      const parts = code.replace(/^.*\n/, '').split(/^\s*\/\/ …\n/m);
      return parts.filter((part) => !whole.includes(flat(part)));
    }),
};

describe.each(documents)('%s names only what exists', (file) => {
  test.each(Object.entries(checks))('%s', (_kind, check) => expect(check(read(file), file)).toEqual([]));
});

const decisions = documents.filter((file) => /^docs\/decisions\/\d{3}-/.test(file));
/** The line below the title: whether the decision is in force, and which decision amends or supersedes it. */
const STATUS =
  /^# \d{3} .+\n\n\*\*Status\.\*\* (In force[.;][^]*?|Superseded by \[\d{3}\]\(\d{3}-[\w-]+\.md\)\.)\n\n/;

test.each(decisions)('%s states its status below its title', (file) => expect(read(file)).toMatch(STATUS));

test('the list of decisions has every decision, by number and title', () => {
  const listed = [...read('docs/decisions/README.md').matchAll(/^\| \[(\d{3})\]\((\S+)\) +\| (.*?) +\|$/gm)];
  const expected = decisions.map((file) => {
    const [, number, title] = /^# (\d{3}) (.*)$/m.exec(read(file)) ?? [];
    return [number, path.basename(file), title];
  });
  expect(expected.length).toBeGreaterThan(0);
  expect(listed.map(([, ...row]) => row)).toEqual(expected.sort());
});

test.each(['# 001 A title\n\n**Context.** None.\n', '# 001 A title\n\n**Status.** Superseded.\n\n'])(
  'a decision without a valid status is found: %j',
  (text) => expect(text).not.toMatch(STATUS),
);

test.each([
  ['identifiers, error codes and variables', '`SWITCHBOARD_NO_SUCH`', 'SWITCHBOARD_NO_SUCH'],
  ['identifiers, error codes and variables', '`post.no_such_code`', 'no_such_code'],
  ['files', '`packages/domain/src/nothing.ts`', 'packages/domain/src/nothing.ts'],
  ['files', '`packages/nothing/src`', 'packages/nothing/src'],
  ['routes', '`GET /v1/nothing`', '/v1/nothing'],
  ['commands', '`pnpm nothing`', 'nothing'],
  ['commands', '```sh\npnpm --silent switchboard keys polish\n```', 'keys polish'],
  ['links', '[x](docs/nothing.md)', 'docs/nothing.md'],
  ['links', '[x](README.md#nothing)', 'README.md#nothing'],
  ['TypeScript that compiles', '```ts\nconst a = 1;\n```', 'const a = 1;\n'],
  [
    'TypeScript that compiles',
    '```ts\n// packages/domain/src/posts/get-post.ts\nconst a = 1;\n```',
    'const a = 1;\n',
  ],
])('finds a name that does not exist: %s in %s', (kind, text, found) => {
  expect(checks[kind](text, 'PLANTED.md')).toEqual([found]);
});

/** Files of clients, of the data directory, and of descriptions outside of the repository. */
const isElsewhere = (name) =>
  /^((\.cursor|\.vscode)\/|\.)?mcp\.json$|^claude_desktop_config\.json$|^server\.json$|^mastodon\/schema\.json$/.test(
    name,
  );

/** Every command is a constant in packages/cli/src/commands: `keysCreate` is `keys create`. */
const commands = new Set(
  repositoryFiles
    .filter((file) => /^packages\/cli\/src\/commands\/[a-z-]+\.ts$/.test(file))
    .flatMap((file) => [...read(file).matchAll(/^export const (\w+) = \(/gm)])
    .map(([, name = '']) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
);
function isCommand(name) {
  const [group = '', command = ''] = name.split(' ');
  const isGroup = [...commands].some((one) => one.startsWith(`${group}-`));
  return isGroup ? command === '' || commands.has(`${group}-${command}`) : commands.has(group);
}
