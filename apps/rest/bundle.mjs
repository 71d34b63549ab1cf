// Writes the bundle that starts REST and the worker, and the authorization server, which REST loads when needed.
import path from 'node:path';
import { bundle } from '../../scripts/bundle.mjs';

await bundle(
  path.join(import.meta.dirname, 'dist'),
  ['main.js'],
  ['@switchboard/bootstrap/authorization-server', '@switchboard/bootstrap/open-tracing'],
);
