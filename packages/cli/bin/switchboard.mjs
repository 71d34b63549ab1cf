#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { runOnProjectNode } from '../../../scripts/run-on-project-node.mjs';

await runOnProjectNode(import.meta.filename);

const main = new URL('../dist/bundle/main.js', import.meta.url);
if (!existsSync(main)) {
  const { turbo } = await import('../../../scripts/turbo.mjs');
  // Build output belongs on stderr: stdout carries the result of the command, possibly as JSON.
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/cli');
  if (built !== 0) process.exit(built);
}
// A directory of our own, because its content is executed. When it cannot be written, there is no cache and
// no error.
module.enableCompileCache(
  fileURLToPath(new URL('../../../node_modules/.cache/switchboard', import.meta.url)),
);
await import(main.href);
