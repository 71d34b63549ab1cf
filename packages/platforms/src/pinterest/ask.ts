import type {
  PlatformAnswer,
  PlatformFailureCode,
  PlatformRequest,
  Result,
  Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { ask as askPlatform, type Words } from '../kit/answers.js';
import { dialect, isAboutPermission } from './wire.js';

/** Asks Pinterest, and reads its answer. Its 401 is about the token, unless it says that the token is good and not for this. */
export const ask = <Value, Own extends Result<unknown> = never>(
  session: Session,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (words: Words, answer: PlatformAnswer) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  askPlatform(
    session,
    dialect,
    {
      ...request,
      everyAnswer: true,
      refusesCredential: ({ status, json }) => status === 401 && !isAboutPermission(json),
    },
    schema,
    onRefusal,
  );
