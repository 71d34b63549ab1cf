#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { runOnProjectNode } from '../../../scripts/run-on-project-node.mjs';

await runOnProjectNode(import.meta.filename);

const main = new URL('../dist/bundle/main.js', import.meta.url);
if (!existsSync(main)) {
  const { turbo } = await import('../../../scripts/turbo.mjs');
  // Build output belongs on stderr: stdout carries the result of the command, possibly as JSON.
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/cli');
  if (built !== 0) process.exit(built);
}
await import(main.href);
