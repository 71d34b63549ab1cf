import type { Publishing, PublishedPart, PublishItem } from '@switchboard/domain';
import type { ContractContext } from './contract-context.js';

interface PublishAttempts {
  /** Null: nobody can say whether it is out, since the platform cannot be asked. */
  readonly part: PublishedPart | null;
  /** What every attempt came to, and how many effects there were by then. */
  readonly attempts: readonly { readonly code: string; readonly effects: number }[];
}

const ATTEMPTS_MAX = 5;
const unknownOutcomeCodes = ['platform.outcome_unknown', 'platform.invalid_response'];

/** What becomes of a part over all attempts: what is in doubt is read back, and sent again only when it is not there. */
export async function publishUntilConfirmed(bench: ContractContext, publishing: Publishing, item: PublishItem): Promise<PublishAttempts> {
  const { open, value, code, world } = bench;
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
  throw new Error(`it is not out after ${attempts.map((attempt) => attempt.code).join(', ')}`);
}

/** Of a look that found nothing, which proves nothing. */
export const isUndecided = (code: string): boolean =>
  code === 'platform.unavailable' || code === 'platform.outcome_unknown';

export const isOutcomeUnknown = (code: string): boolean => unknownOutcomeCodes.includes(code);
