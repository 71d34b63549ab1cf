// Writes the files that start MCP: dist/tools.json (the listed tools), and the bundles of the HTTP and
// the stdio program.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { listManifests } from '@switchboard/bootstrap';
import { catalog } from '@switchboard/operations';
import { bundle } from '../../scripts/bundle.mjs';
import { listedTools } from './dist/tools/listed-tools.js';

const dist = path.join(import.meta.dirname, 'dist');
const listFor = (sandbox) => listedTools(catalog, listManifests({ sandbox, externalPlatforms: [] }));
const builtTools = { withSandbox: listFor(true), withoutSandbox: listFor(false) };
await writeFile(path.join(dist, 'tools.json'), JSON.stringify(builtTools));
await bundle(dist, ['http.js', 'stdio.js'], ['@switchboard/bootstrap/open-tracing']);
