import {
  KEY_IN_PATH,
  type Result,
  type PlatformResponse,
  type PlatformFailureCode,
  type PlatformRequest,
  type Session,
} from '@switchboard/platform-kit';
import type { z } from 'zod';
import { requestJson, type PlatformError } from '@switchboard/platform-kit/platform-client';
import { errorMapping, isRefusal, resultOf } from './wire.js';

type MethodCall = Pick<PlatformRequest, 'json' | 'body' | 'effect' | 'deadlineSeconds'>;

/** Calls a method of the bot. `onRefusal` may handle refusals first. */
export const callMethod = <Value, Own extends Result<unknown> = never>(
  session: Session,
  method: string,
  sent: MethodCall,
  schema: z.ZodType<Value>,
  onRefusal?: (words: PlatformError, answer: PlatformResponse) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  requestJson(
    session,
    errorMapping,
    { method: 'POST', path: `/bot${KEY_IN_PATH}/${method}`, isCredentialRejected: isInvalidToken, ...sent },
    resultOf(schema),
    onRefusal,
  );

/** All its methods exist: a 404 means that no bot has the token. */
const isInvalidToken = ({ status, json }: PlatformResponse): boolean => status === 404 && isRefusal(json);
