import {
  KEY_IN_PATH,
  type PlatformAnswer,
  type PlatformFailureCode,
  type PlatformRequest,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { ask, type Words } from '../kit/answers.js';
import { dialect, isRefusal, resultOf } from './wire.js';

type Sent = Pick<PlatformRequest, 'json' | 'body' | 'effect' | 'deadlineSeconds'>;

/** Calls a method of the bot's. `onRefusal` may answer for some of the refusals first. */
export const call = <Value, Own extends Result<unknown> = never>(
  session: Session,
  method: string,
  sent: Sent,
  schema: z.ZodType<Value>,
  onRefusal?: (words: Words, answer: PlatformAnswer) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> =>
  ask(
    session,
    dialect,
    { method: 'POST', path: `/bot${KEY_IN_PATH}/${method}`, refusesCredential: isNoToken, ...sent },
    resultOf(schema),
    onRefusal,
  );

/** All its methods are there: what Telegram does not find is a bot by such a token. */
const isNoToken = ({ status, json }: PlatformAnswer): boolean => status === 404 && isRefusal(json);
