#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { runOnProjectNode } from '../../../scripts/run-on-project-node.mjs';

await runOnProjectNode(import.meta.filename);

const main = new URL('../dist/bundle/main.js', import.meta.url);
if (!existsSync(main)) {
  const { turbo } = await import('../../../scripts/turbo.mjs');
  // What the build says belongs to stderr: stdout is the command's answer, perhaps as JSON.
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/cli');
  if (built !== 0) process.exit(built);
}
// In a place of our own: what lies there is run. Where it cannot be written, nothing is kept and nothing is lost.
module.enableCompileCache(
  fileURLToPath(new URL('../../../node_modules/.cache/switchboard', import.meta.url)),
);
await import(main.href);
