// Writes the bundle that starts the command line.
import path from 'node:path';
import { bundle } from '../../scripts/bundle.mjs';

await bundle(path.join(import.meta.dirname, 'dist'), ['main.js'], ['@switchboard/bootstrap/open-tracing']);
