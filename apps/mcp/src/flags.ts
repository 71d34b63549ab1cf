import { parseArgs } from 'node:util';
import { giveUp } from './give-up.js';
import type { Wish } from './narrowing.js';
import { listOf } from './list-of.js';

/** What the command line says of the tools in reach. */
export function readFlags(): Wish {
  try {
    const { values } = parseArgs({
      options: { toolsets: { type: 'string' }, 'read-only': { type: 'boolean', default: false } },
    });
    return {
      toolsets: values.toolsets === undefined ? null : listOf(values.toolsets),
      readOnly: values['read-only'],
    };
  } catch (error) {
    giveUp(
      `${(error as Error).message} The flags are --toolsets social,commerce,connections,admin and --read-only.`,
    );
  }
}
