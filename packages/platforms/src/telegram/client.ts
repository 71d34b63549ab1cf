import { KEY_IN_PATH, type Result } from '@switchboard/domain';
import type {
  PlatformResponse,
  PlatformFailureCode,
  PlatformRequest,
  Session,
} from '@switchboard/domain/ports';
import type { z } from 'zod';
import { requestJson, type PlatformError } from '../kit/platform-client.js';
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
