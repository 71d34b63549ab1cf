import { keyOf, type Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { parseId } from '../ids.js';
import type { Refunds } from '../ports/refunds.js';
import type { ReadMethods } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { orderIdOf } from './refund-record.js';
import type { Quote, Refund } from './refund.js';

interface EarlierRefund {
  /** The refund that this request, or another one with the same quote, already created. */
  readonly refund: Refund | null;
  readonly quote: Quote | null;
}

/**
 * Finds the refund that this request created earlier, by its idempotency key and by its quote. Called twice:
 * before the store is read, and again where refunds of one key are serialized. A quote is found only at its
 * own order, used or not.
 */
export async function findEarlierRefund(
  refunds: Pick<ReadMethods<Refunds>, 'find' | 'findByIdempotencyKey' | 'findQuote'>,
  call: Call,
  quoteId: string | undefined,
  orderId: string | undefined,
): Promise<Result<EarlierRefund, 'quote.not_found' | 'idempotency.key_reused'>> {
  const { workspaceId, idempotency } = call;
  const { lineage } = keyOf(call);
  const made = idempotency && (await refunds.findByIdempotencyKey(workspaceId, lineage, idempotency.key));
  if (made && made.fingerprint !== idempotency.fingerprint) {
    return refuse(
      'idempotency.key_reused',
      'This idempotency key was used for another refund. Use a new key for a new request.',
    );
  }
  if (made) return ok({ refund: made.refund, quote: null });
  if (quoteId === undefined) return ok({ refund: null, quote: null });

  const id = parseId('quo', quoteId);
  const quote = id && (await refunds.findQuote(workspaceId, id));
  if (quote?.keyLineage !== lineage) return notFound('quote');
  if (orderId !== undefined && orderId !== orderIdOf(quote)) return notFound('quote');
  return ok({ quote, refund: quote.usedBy && (await refunds.find(workspaceId, quote.usedBy)) });
}
