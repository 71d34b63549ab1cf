import type { Result } from '../result.js';
import type { WorkspaceId } from '../ids.js';

/**
 * Opaque cursors. A cursor opens only in the workspace, list and filter it was created for; anything else,
 * even with a single altered bit, is `request.invalid_cursor`. It holds a position, never a row.
 */
export interface Cursors {
  write(scope: CursorScope, position: string): string;
  read(scope: CursorScope, cursor: string): Result<string, 'request.invalid_cursor'>;
}

export interface CursorScope {
  readonly workspaceId: WorkspaceId;
  readonly list: string;
  /** Everything that selects and orders the rows; any JSON value, compared by its canonical text. */
  readonly filter: unknown;
}
