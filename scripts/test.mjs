// All checks: lint, import direction, types, tests, and that generated documents are up to date.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

process.env.CI ??= 'true';
/** `lint:root` checks the types of the whole repository. */
const checks = ['lint:root', 'test', 'test:root'];
/** One failure leaves the other checks running. */
const keepGoing = '--continue=dependencies-successful';
const selection = process.argv.slice(2);
const acceptance = '@switchboard/acceptance';
/** The packages with the longest suites: started last, one of them would run alone at the end. */
const longest = ['@switchboard/cli', '@switchboard/platforms', '@switchboard/persistence'];
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
      ['test', ...only(...longest)],
      [...checks, ...only(...[acceptance, ...longest].map((name) => `!${name}`))],
    ),
  ]);
  return accepted || checked;
}

// Tasks of tests do not build: for each build that is up to date, turbo writes the files once more, and a program
// that a test starts at this moment would read half a file.
const built = await turbo({}, 'build');
const tested =
  built || (await (selection.length > 0 ? runInOrder(['typecheck', ...checks, ...selection]) : runAll()));

const generate = path.join(root, 'scripts/generate.mjs');
const generated = existsSync(generate)
  ? spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--import', './scripts/from-source.mjs', generate, '--check'],
      { cwd: root, stdio: 'inherit' },
    ).status
  : 0;

if (generated !== 0) failedCommands.push('generated documents: pnpm generate');
for (const command of failedCommands) console.error(`Failed: ${command}`);
process.exit(tested || (generated ?? 1));
