#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { onOwnNode } from '../../../scripts/own-node.mjs';

await onOwnNode(import.meta.filename);

const main = new URL('../dist/stdio.js', import.meta.url);
if (!existsSync(main)) {
  const { turbo } = await import('../../../scripts/turbo.mjs');
  // What the build says belongs to stderr: stdout is the protocol's.
  const built = await turbo({ stdout: process.stderr }, 'build', '--filter=@switchboard/mcp');
  if (built !== 0) process.exit(built);
}
await import(main.href);
