import { nextCall } from '@switchboard/domain';
import { refusal, type Answer } from './answer.js';
import type { Operation } from './define.js';

/** A list whose cursor is not good can be begun again: the same call without it. */
export function beginAgain({ name }: Operation, wire: unknown, answer: Answer, requestId: string): Answer {
  const { failure } = answer;
  if (failure?.code !== 'request.invalid_cursor' || failure.next) return answer;
  const { cursor: _, ...rest } = wire as Readonly<Record<string, unknown>>;
  return refusal({ ...failure, next: nextCall.again(name, rest) }, requestId);
}
