import type { ApiKey } from '@switchboard/domain';
import type { Answer } from './answer.js';
import type { Operation } from './define.js';

const OF_STORES: readonly Operation['scope'][] = ['orders:read', 'refunds:write'];
const MASK = '***';

/**
 * A store's own words may name anybody. A key that hides personal data is told which store spoke and with what code, in
 * every answer about orders and refunds: failures, sources, stored errors and replays alike.
 */
export function hideQuotes(answer: Answer, operation: Operation, key: ApiKey | null): Answer {
  if (!key?.policy.hidePersonalData || !OF_STORES.includes(operation.scope)) return answer;
  if (!answer.body.includes('"platform":{')) return answer;
  const value = hidden(answer.value) as Answer['value'];
  return { ...answer, value, body: JSON.stringify(value) };
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) =>
      name === 'platform' && typeof inner === 'object' && inner !== null && 'message' in inner
        ? [name, { ...inner, message: MASK }]
        : [name, hidden(inner)],
    ),
  );
}
