import type {
  PlatformAnswer,
  PlatformFailureCode,
  PlatformRequest,
  Result,
  Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { ask as askPlatform, type Words } from '../kit/answers.js';
import { dialect } from './wire.js';

/** Asks YouTube, and reads its answer. `onRefusal` may answer for some of the refusals first. */
export const ask = <Value, Own extends Result<unknown> = never>(
  session: Session,
  request: PlatformRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (words: Words, answer: PlatformAnswer) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  askPlatform(session, dialect, request, schema, onRefusal);

/** One header of the next answer, where there is one. */
export function listenFor(session: Session, name: string) {
  let heard: string | undefined;
  return {
    session: {
      ...session,
      async request(request: PlatformRequest) {
        const outcome = await session.request(request);
        if (outcome.ok) heard = outcome.value.headers[name];
        return outcome;
      },
    } satisfies Session,
    heard: () => heard,
  };
}
