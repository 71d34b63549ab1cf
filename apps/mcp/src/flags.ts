import { parseArgs } from 'node:util';
import { exitWithError } from './exit-with-error.js';
import type { ToolFilterInput } from './tools/tool-filter.js';
import { splitList } from './split-list.js';

export function readFlags(): ToolFilterInput {
  try {
    const { values } = parseArgs({
      options: { toolsets: { type: 'string' }, 'read-only': { type: 'boolean', default: false } },
    });
    return {
      toolsets: values.toolsets === undefined ? null : splitList(values.toolsets),
      readOnly: values['read-only'],
    };
  } catch (error) {
    exitWithError(
      `${(error as Error).message} The flags are --toolsets social,commerce,connections,admin and --read-only.`,
    );
  }
}
