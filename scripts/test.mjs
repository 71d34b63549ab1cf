// All checks: lint, import direction, types, tests, and that generated documents are up to date.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

process.env.CI ??= 'true';
/** It checks the types of the whole repository. */
const lint = 'lint:root';
const tests = ['test', 'test:root'];
/** One failure leaves the other checks running. */
const keepGoing = '--continue=dependencies-successful';
const selection = process.argv.slice(2);
const acceptance = '@switchboard/acceptance';
/**
 * The packages with the longest suites. Turbo starts a package that imports many others late: one of these would run
 * alone at the end.
 */
const longest = ['cli', 'mcp', 'persistence', 'platforms'].map((name) => `@switchboard/${name}`);
const only = (...names) => names.map((name) => `--filter=${name}`);

/** Named again at the end: other output follows where they failed. */
const failedCommands = [];

/** Runs one turbo command after another, and resolves to the first exit code of a failure. */
async function runInOrder(...commands) {
  let first = 0;
  for (const command of commands) {
    const code = await turbo({}, ...command, keepGoing);
    if (code !== 0) failedCommands.push(command.join(' '));
    first ||= code;
  }
  return first;
}

/**
 * The acceptance suite takes as long as everything else, mostly waiting for processes: it runs beside the other
 * checks, not after them.
 */
async function runAll() {
  const [accepted, checked] = await Promise.all([
    runInOrder(['test', ...only(acceptance)]),
    // The longest are not tested again: a second run that succeeds would replace the report of the first one.
    runInOrder(
      [lint, 'test', ...only('//', ...longest)],
      [...tests, ...only(...[acceptance, ...longest].map((name) => `!${name}`))],
    ),
  ]);
  return accepted || checked;
}

/** Resolves to 0 when the committed documents are what the sources generate. */
function checkGenerated() {
  const generate = path.join(root, 'scripts/generate.mjs');
  if (!existsSync(generate)) return 0;
  const options = ['--disable-warning=ExperimentalWarning', '--import', './scripts/from-source.mjs'];
  const child = spawn(process.execPath, [...options, generate, '--check'], { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

// Tasks of tests do not build: for each build that is up to date, turbo writes the files once more, and a program
// that a test starts at this moment would read half a file.
const built = await turbo({}, 'build');
const [generated, tested] = await Promise.all([
  checkGenerated(),
  built || (selection.length > 0 ? runInOrder(['typecheck', lint, ...tests, ...selection]) : runAll()),
]);

if (generated !== 0) failedCommands.push('generated documents: pnpm generate');
for (const command of failedCommands) console.error(`Failed: ${command}`);
process.exit(tested || generated);
