import { readFile } from 'node:fs/promises';
import type { ListedTool } from './listed-tools.js';

/** Where the build writes the tools down. */
export const builtToolsFile = new URL('../dist/tools.json', import.meta.url);

export const readBuiltTools = async (): Promise<readonly ListedTool[]> =>
  JSON.parse(await readFile(builtToolsFile, 'utf8')) as ListedTool[];
