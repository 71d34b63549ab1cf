import type { Publishing, PublishItem } from '@switchboard/domain/ports';
import type { ContractContext } from './contract-context.js';

const ATTEMPTS_MAX = 5;
const unknownOutcomeCodes = ['platform.outcome_unknown', 'platform.invalid_response'];

/**
 * Runs all attempts of a part: an unknown outcome is looked up, and the part is sent again only when it is
 * not found. Without a lookup, the outcome stays unknown, and the part is null.
 */
export async function publishUntilConfirmed(
  bench: ContractContext,
  publishing: Publishing,
  item: PublishItem,
) {
  const { open, value, code, world } = bench;
  /** The result of every attempt, and the number of effects after it. */
  const attempts: { code: string; effects: number }[] = [];
  let receipt = item.receipt;
  while (attempts.length < ATTEMPTS_MAX) {
    const sent = await publishing.publish(open(), { ...item, receipt }, async (stored) => {
      receipt = stored;
    });
    attempts.push({ code: code(sent), effects: world().effects() });
    if (sent.ok) return { part: sent.value, attempts };
    if (!isOutcomeUnknown(sent.failure.code)) continue;
    if (!publishing.find) return { part: null, attempts };
    const found = await publishing.find(open(), { ...item, media: [], receipt });
    if (world().absenceProvesNothing && isUndecided(code(found))) return { part: null, attempts };
    const part = value(found);
    if (part) return { part, attempts };
  }
  throw new Error(`it is not published after ${attempts.map((attempt) => attempt.code).join(', ')}`);
}

/** Of a lookup that found nothing, which proves nothing. */
export const isUndecided = (code: string): boolean =>
  code === 'platform.unavailable' || code === 'platform.outcome_unknown';

export const isOutcomeUnknown = (code: string): boolean => unknownOutcomeCodes.includes(code);
