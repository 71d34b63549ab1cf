// Writes what the command line is started with: the program as one bundle.
import path from 'node:path';
import { bundle } from '../../scripts/bundle.mjs';

await bundle(path.join(import.meta.dirname, 'dist'), 'main.js');
