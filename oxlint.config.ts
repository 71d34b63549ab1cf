import { builtinModules } from 'node:module';

const source = ['{apps,packages}/*/{src,testing}/**/*.ts'];
const tests = ['**/*.test.ts'];
const scripts = ['**/*.{js,mjs,cjs}'];

/** What a border closes, by the rule that reports it. */
interface Restrictions {
  readonly properties?: readonly object[];
  readonly syntax?: readonly { readonly selector: string; readonly message: string }[];
  readonly globals?: readonly object[];
  readonly imports?: readonly object[];
  readonly patterns?: readonly object[];
}

interface Border extends Restrictions {
  /** The files that implement it. */
  readonly files: readonly string[];
}

/**
 * Capabilities that product code may use only through a port, and the few files that implement that port.
 * A file belongs here when it *is* the border to the outside, not when it violates the rule.
 */
const borders: Readonly<Record<string, Border>> = {
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
      'packages/domain/testing/repetitions.ts', // how often tests repeat
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
        group: ['@modelcontextprotocol/**'],
        message: 'Only the files that docs/decisions/035 names use the SDK.',
      },
    ],
  },
};

/** The modules of Node.js that access neither the network nor the machine. */
const pureModules = ['crypto', 'timers/promises'];
const throughSession = 'An adapter reaches its platform only through the Session.';

/** The modules that adapters, and their shared kit, may not use. There are no exceptions. */
const adapterBorder: Restrictions = {
  imports: [
    ...builtinModules
      .filter((name) => !pureModules.includes(name.replace(/^node:/, '')))
      .flatMap((name) => (name.startsWith('node:') ? [name] : [name, `node:${name}`])),
    'undici',
  ].map((name) => ({ name, message: throughSession })),
  patterns: [
    { group: ['undici/**'], message: throughSession },
    { group: ['**/testing/**', '**/*.test.js'], message: 'Product code does not import its tests.' },
  ],
  globals: ['EventSource', 'WebSocket', 'XMLHttpRequest'].map((name) => ({ name, message: throughSession })),
  properties: [{ object: 'process', property: 'getBuiltinModule', message: throughSession }],
  syntax: [{ selector: 'ImportExpression', message: 'Import statically: the linter checks static imports.' }],
};

/** Forbidden in every file, product and test alike. */
const style: Restrictions = {
  syntax: [
    {
      selector: 'ObjectExpression > SpreadElement > ObjectExpression',
      message: 'Write the properties themselves: a spread literal packs several onto a line.',
    },
  ],
};

/** The rules of every border except those named. Oxlint replaces a rule's options instead of merging them. */
const guard = (...open: readonly string[]) =>
  rulesOf(Object.entries(borders).flatMap(([name, border]) => (open.includes(name) ? [] : [border])));

function rulesOf(closed: readonly Restrictions[]) {
  const all = (kind: keyof Restrictions) =>
    [style, ...closed].flatMap((border): readonly object[] => border[kind] ?? []);
  const rule = (options: readonly object[]) => (options.length > 0 ? ['error', ...options] : 'off');
  const imports = { paths: all('imports'), patterns: all('patterns') };
  return {
    'no-restricted-properties': rule(all('properties')),
    'switchboard/restricted-syntax': rule(all('syntax')),
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

const errors = (names: string) =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, 'error' as const]));

/** The recommended rules of ESLint. */
const recommended = errors(
  `for-direction no-async-promise-executor no-case-declarations no-compare-neg-zero no-cond-assign
  no-constant-binary-expression no-constant-condition no-control-regex no-debugger no-delete-var no-dupe-else-if
  no-duplicate-case no-empty no-empty-character-class no-empty-pattern no-empty-static-block no-ex-assign
  no-extra-boolean-cast no-fallthrough no-global-assign no-invalid-regexp no-irregular-whitespace
  no-loss-of-precision no-misleading-character-class no-nonoctal-decimal-escape no-prototype-builtins
  no-regex-spaces no-self-assign no-shadow-restricted-names no-sparse-arrays no-unassigned-vars
  no-unexpected-multiline no-unsafe-finally no-unsafe-optional-chaining no-unused-labels
  no-unused-private-class-members no-unused-vars no-useless-assignment no-useless-backreference no-useless-catch
  no-useless-escape preserve-caught-error require-yield use-isnan valid-typeof`,
);

/** Those of them that the compiler checks in TypeScript. */
const recommendedInScripts = errors(
  `constructor-super getter-return no-class-assign no-const-assign no-dupe-class-members no-dupe-keys
  no-func-assign no-import-assign no-new-native-nonconstructor no-obj-calls no-redeclare no-setter-return
  no-this-before-super no-undef no-unreachable no-unsafe-negation no-with`,
);

/** The recommended rules of typescript-eslint that need no types. */
const recommendedInTypeScript = errors(
  `no-var prefer-const prefer-rest-params prefer-spread no-array-constructor no-unused-expressions
  typescript/ban-ts-comment typescript/no-duplicate-enum-values typescript/no-empty-object-type
  typescript/no-explicit-any typescript/no-extra-non-null-assertion typescript/no-misused-new
  typescript/no-namespace typescript/no-non-null-asserted-optional-chain typescript/no-require-imports
  typescript/no-this-alias typescript/no-unnecessary-type-constraint typescript/no-unsafe-declaration-merging
  typescript/no-unsafe-function-type typescript/no-wrapper-object-types typescript/prefer-as-const
  typescript/prefer-namespace-keyword typescript/triple-slash-reference`,
);

/** The type-aware ones except `require-await`: a port's method is asynchronous because some implementation of it is. */
const typeAware = {
  ...errors(
    `typescript/await-thenable typescript/no-array-delete typescript/no-base-to-string
    typescript/no-duplicate-type-constituents typescript/no-floating-promises typescript/no-for-in-array
    typescript/no-implied-eval typescript/no-misused-promises typescript/no-redundant-type-constituents
    typescript/no-unnecessary-type-assertion typescript/no-unsafe-argument typescript/no-unsafe-assignment
    typescript/no-unsafe-call typescript/no-unsafe-enum-comparison typescript/no-unsafe-member-access
    typescript/no-unsafe-return typescript/no-unsafe-unary-minus typescript/only-throw-error
    typescript/prefer-promise-reject-errors typescript/restrict-plus-operands
    typescript/restrict-template-expressions typescript/unbound-method`,
  ),
  'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
};

export default {
  plugins: ['typescript'],
  jsPlugins: ['./scripts/oxlint-plugin.mjs'],
  categories: { correctness: 'off' },
  options: { typeAware: true, typeCheck: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: [
    // Compiled where they are copied to, or by its own users.
    'packages/create-switchboard-platform/template/**',
    'examples/**',
    '**/dist/**',
    '**/generated/**',
    '.switchboard/**',
  ],
  rules: recommended,
  overrides: [
    {
      files: scripts,
      globals: {
        clearTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
        URL: 'readonly',
      },
      rules: { ...recommendedInScripts, ...rulesOf([]) },
    },
    {
      files: ['**/*.cjs', 'packages/acceptance/real-servers/medusa/**/*.js'],
      globals: { exports: 'writable', module: 'writable', require: 'readonly' },
    },
    { files: ['**/*.ts'], rules: { ...recommendedInTypeScript, ...typeAware } },
    {
      files: source,
      rules: {
        'no-console': 'error',
        'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
        // Some code removes control characters from external text.
        'no-control-regex': 'off',
        ...guard(),
      },
    },
    {
      files: [...source, ...scripts],
      rules: { 'switchboard/type-names': 'error', 'switchboard/words': 'error' },
    },
    ...openings(),
    {
      files: ['packages/{platforms,platform-kit}/src/**/*.ts'],
      excludeFiles: ['packages/{platforms,platform-kit}/src/**/testing/**'],
      rules: rulesOf([...Object.values(borders), adapterBorder]),
    },
    {
      files: ['packages/domain/src/**/*.ts'],
      excludeFiles: tests,
      rules: { 'no-restricted-globals': ['error', ...domainGlobals] },
    },
    // A command line writes to stdout.
    { files: ['packages/cli/src/**/*.ts'], rules: { 'no-console': 'off' } },
    // Tests and benchmarks access the machine from outside.
    {
      files: [...tests, 'packages/acceptance/src/**/*.ts', 'packages/benchmarks/src/**/*.ts'],
      rules: { ...guard(...Object.keys(borders)), 'typescript/unbound-method': 'off' },
    },
  ],
};
