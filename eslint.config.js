import { builtinModules } from 'node:module';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const source = ['{apps,packages}/*/{src,testing}/**/*.ts'];
const tests = ['**/*.test.ts'];

/**
 * Capabilities that product code may use only through a port, and the few files that implement that port.
 * A file belongs here when it *is* the border to the outside, not when it violates the rule.
 */
const borders = {
  clock: {
    files: [
      'packages/bootstrap/src/system-clock.ts',
      'packages/domain/testing/movable-clock.ts', // uses a real database, whose clock advances
      'packages/persistence/src/embedded/supervisor.ts', // a separate process with its own log
      'packages/{sandbox,simulators}/src/**', // simulate third-party servers, which have their own clocks
      'packages/client/src/retrying-fetch.ts', // a program of the caller's
    ],
    properties: [{ object: 'Date', property: 'now', message: 'Use the port Clock.' }],
    syntax: [
      {
        selector: "NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.name='Date']",
        message: 'Use the port Clock.',
      },
    ],
  },
  randomness: {
    files: ['packages/{sandbox,simulators}/src/**', 'packages/client/src/retrying-fetch.ts'],
    properties: [
      { object: 'Math', property: 'random', message: 'Use the port for ids, or node:crypto in an adapter.' },
    ],
  },
  environment: {
    files: [
      'packages/bootstrap/src/env.ts',
      'packages/charts/src/thread-charts.ts', // fontconfig has no other setting
      'packages/bootstrap/src/disable-debug-output.ts',
      'packages/persistence/src/embedded/cluster.ts', // PATH for PostgreSQL's programs
      'packages/persistence/src/testing.ts', // jest passes the server's address to its workers in this way
    ],
    properties: [
      { object: 'process', property: 'env', message: 'packages/bootstrap/src/env.ts reads the environment.' },
    ],
    imports: [{ name: 'node:process', message: 'Use the global `process`, whose `env` the linter checks.' }],
  },
  outboundHttp: {
    files: ['packages/client/src/create-client.ts'],
    globals: [{ name: 'fetch', message: 'All requests leave through packages/egress.' }],
    properties: [
      { object: 'globalThis', property: 'fetch', message: 'All requests leave through packages/egress.' },
    ],
  },
  // The files that a new version of the SDK affects (docs/decisions/035).
  mcpSdk: {
    files: [
      'apps/mcp/src/protocol/protocol-server.ts',
      'apps/mcp/src/protocol/modern-server.ts',
      'apps/mcp/src/protocol/methods.ts',
      'apps/mcp/src/protocol/revisions.ts',
      'apps/mcp/src/protocol/serve-message.ts',
      'apps/mcp/src/protocol/message-defect.ts',
      'apps/mcp/src/stdio/line-transport.ts',
      'apps/mcp/src/stdio/limit-transport.ts',
      'apps/mcp/src/stdio/route-by-revision.ts',
      'apps/mcp/src/testing/**', // clients
    ],
    patterns: [
      {
        group: ['@modelcontextprotocol/*'],
        message: 'Only the files that docs/decisions/035 names use the SDK.',
      },
    ],
  },
};

/** The modules of Node.js that access neither the network nor the machine. */
const pureModules = ['crypto', 'timers/promises'];
const throughSession = 'An adapter reaches its platform only through the Session.';

/** The modules that adapters, and their shared kit, may not use. There are no exceptions. */
const adapterBorder = {
  imports: [
    ...builtinModules
      .filter((name) => !pureModules.includes(name.replace(/^node:/, '')))
      .flatMap((name) => (name.startsWith('node:') ? [name] : [name, `node:${name}`])),
    'undici',
  ].map((name) => ({ name, message: throughSession })),
  patterns: [
    { group: ['undici/*'], message: throughSession },
    { group: ['**/testing/**', '**/*.test.js'], message: 'Product code does not import its tests.' },
  ],
  globals: ['EventSource', 'WebSocket', 'XMLHttpRequest'].map((name) => ({ name, message: throughSession })),
  properties: [{ object: 'process', property: 'getBuiltinModule', message: throughSession }],
  syntax: [{ selector: 'ImportExpression', message: 'Import statically: the linter checks static imports.' }],
};

/** Forbidden in every file, product and test alike. */
const style = {
  syntax: [
    {
      selector: 'ObjectExpression > SpreadElement > ObjectExpression',
      message: 'Write the properties themselves: a spread literal packs several onto a line.',
    },
  ],
};

/** Private words that STYLE.md replaces with the field's standard terms. */
const vocabulary = {
  /** Bare nouns and participles that several types could bear: `PublishedPart`, not `Part`; `RefundQuote`, not `Told`. */
  typeNames: new Set(
    // eslint-disable-next-line vocabulary/words -- the list itself
    `Answer Asked Begun Found Given Gone Kept Left Line Made Memory Noted Position Ran Said Setting Shown Strangers Taken Thing Told
    Wanted Wish Dialect Manner Doorkeeper Keysmith Taker Outrun PartingWords Superfluous Occasion Plain Little Tale`.split(
      /\s+/,
    ),
  ),
  /**
   * Only words of prose: not in code in backquotes, not a quoted name ("picture"), and not part of an address,
   * a path or a hyphenated identifier (@nobody, nobody.test, somebody-else).
   */
  words:
    /(?<![\w@/.-])(?:whoever|(?:no|some|any|every)body|by\s+hand|told|comes\s+of\s+it|stands|films?|pictures?|strangers?|lapsed?|outrun)(?![\w@/-]|\.\w)/i,
  quotedNames: /`[^`]*`|(["'])(?<!\w.)[^\s"']+\1(?!\w)/g,
};

const vocabularyPlugin = {
  rules: {
    'type-names': {
      create(context) {
        const check = ({ id }) => {
          if (id && vocabulary.typeNames.has(id.name))
            context.report({
              node: id,
              message: `\`${id.name}\` says nothing about what it holds: qualify it.`,
            });
        };
        return { TSInterfaceDeclaration: check, TSTypeAliasDeclaration: check, ClassDeclaration: check };
      },
    },
    words: {
      create(context) {
        const check = (node, text) => {
          const [word] = text.replace(vocabulary.quotedNames, '``').match(vocabulary.words) ?? [];
          if (word) context.report({ node, message: `Replace \`${word}\` with the field's standard term.` });
        };
        const checkProse = (node, text) => /\s/.test(text) && check(node, text);
        return {
          Program: () =>
            context.sourceCode
              .getAllComments()
              .forEach((comment) => check(comment, comment.value.replace(/\n\s*\*/g, ''))),
          Literal: (node) => typeof node.value === 'string' && checkProse(node, node.value),
          TemplateElement: (node) => checkProse(node, node.value.cooked ?? node.value.raw),
        };
      },
    },
  },
};

/** The rules of every border except those named. ESLint replaces a rule's options instead of merging them. */
const guard = (...open) =>
  rulesOf(Object.entries(borders).flatMap(([name, border]) => (open.includes(name) ? [] : [border])));

function rulesOf(closed) {
  const all = (kind) => [style, ...closed].flatMap((border) => border[kind] ?? []);
  const rule = (options) => (options.length > 0 ? ['error', ...options] : 'off');
  const imports = { paths: all('imports'), patterns: all('patterns') };
  return {
    'no-restricted-properties': rule(all('properties')),
    'no-restricted-syntax': rule(all('syntax')),
    'no-restricted-globals': rule(all('globals')),
    'no-restricted-imports': Object.values(imports).flat().length > 0 ? ['error', imports] : 'off',
  };
}

/** One block for each file that opens a border; a file named in several borders opens all of them. */
function openings() {
  const files = new Set(Object.values(borders).flatMap((border) => border.files));
  return [...files].map((file) => ({
    files: [file],
    rules: guard(
      ...Object.entries(borders).flatMap(([name, border]) => (border.files.includes(file) ? [name] : [])),
    ),
  }));
}

/** The domain may use the language and these web globals, and nothing of a machine. */
const domainGlobals = 'Buffer|clearInterval|clearTimeout|console|crypto|fetch|global|performance|process|'
  .concat('queueMicrotask|require|setImmediate|setInterval|setTimeout|structuredClone|__dirname|__filename')
  .split('|')
  .map((name) => ({ name, message: 'The domain is pure: use a port.' }));

export default tseslint.config(
  {
    ignores: [
      // Compiled where it is copied to.
      'packages/create-switchboard-platform/template/**',
      '**/dist/**',
      '**/node_modules/**',
      'packages/{client,persistence}/src/generated/**',
      '**/.turbo/**',
      '.switchboard/**',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        clearTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
        URL: 'readonly',
      },
    },
    rules: { 'no-restricted-syntax': ['error', ...style.syntax] },
  },
  {
    files: ['**/*.cjs', 'packages/acceptance/real-servers/medusa/**/*.js'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { exports: 'writable', module: 'writable', require: 'readonly' },
    },
  },
  {
    files: source,
    // The type-aware rules of this set run in oxlint (docs/decisions/053-typed-lint.md).
    extends: [tseslint.configs.recommended],
    rules: {
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Some code removes control characters from external text.
      'no-control-regex': 'off',
      ...guard(),
    },
  },
  {
    files: [...source, '**/*.{js,mjs,cjs}'],
    plugins: { vocabulary: vocabularyPlugin },
    rules: { 'vocabulary/type-names': 'error', 'vocabulary/words': 'error' },
  },
  ...openings(),
  {
    files: ['packages/{platforms,platform-kit}/src/**/*.ts'],
    ignores: ['packages/{platforms,platform-kit}/src/**/testing/**'],
    rules: rulesOf([...Object.values(borders), adapterBorder]),
  },
  {
    files: ['packages/domain/src/**/*.ts'],
    ignores: tests,
    rules: { 'no-restricted-globals': ['error', ...domainGlobals] },
  },
  // A command line writes to stdout.
  { files: ['packages/cli/src/**/*.ts'], rules: { 'no-console': 'off' } },
  // Tests and benchmarks access the machine from outside.
  {
    files: [...tests, 'packages/acceptance/src/**/*.ts', 'packages/benchmarks/src/**/*.ts'],
    rules: guard(...Object.keys(borders)),
  },
  { files: ['prisma.config.ts'], extends: [tseslint.configs.recommended] },
);
