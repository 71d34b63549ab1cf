// Writes what MCP is started with: dist/tools.json, the tools as they are listed, and the programs as bundles.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { catalogue } from '@switchboard/operations';
import { bundle } from '../../scripts/bundle.mjs';
import { listedTools } from './dist/listed-tools.js';

const dist = path.join(import.meta.dirname, 'dist');
await writeFile(path.join(dist, 'tools.json'), JSON.stringify(listedTools(catalogue)));
await bundle(dist, 'stdio.js', 'http.js');
