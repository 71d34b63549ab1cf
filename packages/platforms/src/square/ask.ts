import type { PlatformFailureCode, PlatformRequest, Result, Session } from '@switchboard/domain';
import type { z } from 'zod';
import { ask as askKit, type Words } from '../kit/answers.js';
import { SQUARE_VERSION } from './version.js';
import { dialect } from './wire.js';

/** Asks Square in the version that we know. `onRefusal` may answer for some refusals first. */
export const ask = <Value, Own extends Result<unknown> = never>(
  session: Session,
  request: Omit<PlatformRequest, 'headers'>,
  schema: z.ZodType<Value>,
  onRefusal?: (words: Words) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  askKit(session, dialect, { ...request, headers: { 'square-version': SQUARE_VERSION } }, schema, onRefusal);
