import { readFile } from 'node:fs/promises';
import type { ListedTool } from './listed-tools.js';

/** Where the build writes the tools down. */
export const writtenToolsFile = new URL('../dist/tools.json', import.meta.url);

export const writtenTools = async (): Promise<readonly ListedTool[]> =>
  JSON.parse(await readFile(writtenToolsFile, 'utf8')) as ListedTool[];
