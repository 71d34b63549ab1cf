import type { OutboundResponse } from '@switchboard/domain/ports';

/**
 * Adds the `Retry-After` header to a 429 that states the delay only in its body, as Telegram does
 * (`parameters.retry_after`, seconds: https://core.telegram.org/bots/api#responseparameters).
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
