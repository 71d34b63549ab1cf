// Writes what MCP is started with: dist/tools.json, the tools as they are listed, the program for HTTP as a bundle and the one
// for stdio as one file.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { catalog } from '@switchboard/operations';
import { bundle, bundleAsOneFile } from '../../scripts/bundle.mjs';
import { listedTools } from './dist/listed-tools.js';

const dist = path.join(import.meta.dirname, 'dist');
await writeFile(path.join(dist, 'tools.json'), JSON.stringify(listedTools(catalog)));
await bundle(dist, 'http.js');
await bundleAsOneFile(dist, 'stdio.js');
