import { readFile } from 'node:fs/promises';
import type { ListedTool } from './listed-tools.js';

/** The file to which the build writes the tools. */
export const builtToolsFile = new URL('../../dist/tools.json', import.meta.url);

export const readBuiltTools = async (): Promise<readonly ListedTool[]> =>
  JSON.parse(await readFile(builtToolsFile, 'utf8')) as ListedTool[];
