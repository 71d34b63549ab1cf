// Writes the files that start MCP: dist/tools.json (the listed tools), the HTTP program as a bundle and the
// stdio program as one file.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { catalog } from '@switchboard/operations';
import { bundle, bundleAsOneFile } from '../../scripts/bundle.mjs';
import { listedTools } from './dist/tools/listed-tools.js';

const dist = path.join(import.meta.dirname, 'dist');
await writeFile(path.join(dist, 'tools.json'), JSON.stringify(listedTools(catalog)));
await bundle(dist, 'http.js');
await bundleAsOneFile(dist, 'stdio.js');
