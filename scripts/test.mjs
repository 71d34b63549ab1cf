// All checks: lint, import direction, types, tests, and that generated documents are up to date.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, turbo } from './turbo.mjs';

process.env.CI ??= 'true';
const tested = await turbo(
  {},
  ...['lint', 'lint:root', 'test', 'test:root', '--continue=dependencies-successful'],
  ...process.argv.slice(2),
);

const generate = path.join(root, 'scripts/generate.mjs');
const generated = existsSync(generate)
  ? spawnSync(process.execPath, [generate, '--check'], { cwd: root, stdio: 'inherit' }).status
  : 0;

process.exit(tested || (generated ?? 1));
