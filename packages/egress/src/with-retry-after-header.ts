import type { OutboundResponse } from '@switchboard/domain';

/**
 * A 429 that says how long to wait in its body alone, as Telegram does (`parameters.retry_after`, seconds:
 * https://core.telegram.org/bots/api#responseparameters), with the header in which all others say it.
 */
export function withRetryAfterHeader(answer: OutboundResponse): OutboundResponse {
  if (answer.status !== 429 || answer.headers['retry-after'] !== undefined) return answer;
  const seconds = readRetryAfter(answer.body);
  return seconds === null
    ? answer
    : { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(seconds)) } };
}

function readRetryAfter(body: Uint8Array): number | null {
  try {
    const parsed = JSON.parse(Buffer.from(body).toString()) as {
      parameters?: { retry_after?: unknown };
    } | null;
    const seconds = parsed?.parameters?.retry_after;
    return typeof seconds === 'number' && seconds > 0 && seconds < 1e9 ? seconds : null;
  } catch {
    return null;
  }
}
