import { refuse } from '../../src/failure.js';
import type { Cursors } from '../../src/ports/index.js';
import { ok } from '../../src/result.js';

/** Bound to workspace, list and filter like production cursors, and readable: a test may inspect them. */
export const plaintextCursors: Cursors = {
  write: (scope, position) => JSON.stringify([scope, position]),
  read(scope, cursor) {
    const [written, position] = JSON.parse(cursor) as [unknown, string];
    return JSON.stringify(written) === JSON.stringify(scope)
      ? ok(position)
      : refuse('request.invalid_cursor', 'The cursor is invalid for this request.');
  },
};
