/**
 * The allowed imports. Imports across packages resolve to packages/<name>/dist, as `exports` defines.
 * scripts/direction.test.mjs plants every import that this file forbids and checks that it is found.
 */
const infrastructure = [
  'authorization-server',
  'charts',
  'egress',
  'jobs',
  'media',
  'oauth',
  'persistence',
  'platforms',
  'vault',
];

/** The imports that the code of a package may use, and the additional ones of its tests. */
const packages = {
  'packages/domain': { may: [] },
  'packages/operations': { may: ['domain'] },
  'packages/platform-kit': { may: ['domain'], tests: ['egress', 'oauth', 'simulators'] },
  // Exactly what an adapter outside this repository has.
  'packages/platforms': {
    may: ['platform-kit'],
    tests: ['domain', 'egress', 'oauth', 'sandbox', 'simulators'],
  },
  'packages/authorization-server': { may: ['domain'], tests: ['egress'] },
  'packages/oauth': { may: ['domain'], tests: ['egress', 'sandbox', 'simulators'] },
  'packages/vault': { may: ['domain'] },
  'packages/persistence': { may: ['domain'], tests: ['persistence'] },
  'packages/jobs': { may: ['domain'], tests: ['persistence'] },
  'packages/media': { may: ['domain'], tests: ['egress'] },
  'packages/charts': { may: ['domain'] },
  'packages/egress': { may: ['domain'] },
  'packages/fault-injection': { may: [] },
  'packages/sandbox': { may: ['fault-injection'] },
  'packages/simulators': { may: ['fault-injection'] },
  'packages/client': { may: [] },
  'packages/create-switchboard-platform': { may: [] },
  'packages/bootstrap': { may: ['domain', 'operations', 'platform-kit', 'sandbox', ...infrastructure] },
  'packages/cli': { may: ['bootstrap', 'domain', 'operations'], tests: ['persistence'] },
  'apps/rest': { may: ['bootstrap', 'domain', 'operations'], tests: ['persistence'] },
  'apps/mcp': { may: ['bootstrap', 'domain', 'operations'], tests: ['persistence'] },
  'packages/acceptance': {
    may: [
      ...['bootstrap', 'cli', 'client', 'domain', 'mcp', 'operations', 'platform-kit', 'rest', 'sandbox'],
      'simulators',
      ...infrastructure,
    ],
  },
  'packages/benchmarks': {
    may: [
      ...[
        'acceptance',
        'bootstrap',
        'cli',
        'client',
        'domain',
        'mcp',
        'operations',
        'platform-kit',
        'rest',
        'sandbox',
        'simulators',
      ],
      ...infrastructure,
    ],
  },
};

/** Tests, and the helper folders for tests: no program contains them. */
const test = ['\\.test\\.ts$', '/src/testing/', '/src/[^/]+/testing/'];
const dist = (names) => names.map((name) => `^(packages|apps)/${name}/dist/`);

const only = ([folder, { may, tests = [] }]) => [
  {
    name: `${folder}-imports`,
    comment: `${folder} imports ${may.join(', ') || 'no other package'}.`,
    severity: 'error',
    from: { path: `^${folder}/`, pathNot: test },
    to: { path: '^(packages|apps)/', pathNot: [`^${folder}/(src|testing|dist)/`, ...dist(may)] },
  },
  {
    name: `${folder}-test-imports`,
    severity: 'error',
    from: { path: test.map((each) => `^${folder}/.*${each}`) },
    to: {
      path: '^(packages|apps)/',
      pathNot: [`^${folder}/(src|testing|dist)/`, ...dist([...may, ...tests])],
    },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Types may have circular imports; values may not.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    // pnpm links only declared dependencies, so an undeclared import is an unresolvable one.
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'domain-is-pure',
      comment: 'The domain imports neither packages nor Node.js.',
      severity: 'error',
      from: { path: '^packages/domain/src/', pathNot: test },
      to: { pathNot: '^packages/domain/src/' },
    },
    {
      name: 'platforms-stand-alone',
      comment: 'A platform imports the kit and what the platforms of Meta share, never another platform.',
      severity: 'error',
      from: { path: '^packages/platforms/src/([^/]+)/' },
      to: { path: '^packages/platforms/src/([^/]+)/', pathNot: '^packages/platforms/src/($1|graph)/' },
    },
    {
      name: 'client-runs-in-browsers',
      comment: 'The client imports no module of Node.js.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'programs-without-jest',
      comment:
        'Chaos, fuzzing and benchmarks run without Jest, which the contracts in the index of domain/testing call.',
      severity: 'error',
      from: {
        path: ['^packages/acceptance/src/(chaos|fuzz|support)/', '^packages/benchmarks/src/'],
        pathNot: test,
      },
      to: { path: '^packages/domain/dist/testing/index\\.' },
    },
    ...Object.entries(packages).flatMap(only),
  ],
  options: {
    tsPreCompilationDeps: true,
    exclude: { path: '(^|/)generated/|(^|/)jest\\.config\\.mjs$|/real-servers/' },
    doNotFollow: { path: 'node_modules|/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts'],
    },
  },
};
