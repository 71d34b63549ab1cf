#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { onOwnNode } from '../../../scripts/own-node.mjs';

await onOwnNode(import.meta.filename);

const main = new URL('../dist/bundle/stdio.js', import.meta.url);
if (!existsSync(main)) {
  const { turbo } = await import('../../../scripts/turbo.mjs');
  // What the build says belongs to stderr: stdout is the protocol's.
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/mcp');
  if (built !== 0) process.exit(built);
}
// In a place of our own: what lies there is run. Where it cannot be written, nothing is kept and nothing is lost.
module.enableCompileCache(
  fileURLToPath(new URL('../../../node_modules/.cache/switchboard-mcp', import.meta.url)),
);
await import(main.href);
