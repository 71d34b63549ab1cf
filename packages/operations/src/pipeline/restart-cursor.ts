import { nextCall } from '@switchboard/domain';
import type { Operation } from '../define.js';

/** Gives a list call with an invalid cursor the same call without the cursor as its next call. */
export const restartCursor =
  (name: string): NonNullable<Operation['onRefusal']> =>
  (failure, { cursor: _, ...input }) =>
    failure.code !== 'request.invalid_cursor' || failure.next
      ? failure
      : { ...failure, next: nextCall.repeat(name, input) };
