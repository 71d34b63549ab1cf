import type { Result } from '@switchboard/domain';
import type { PlatformFailureCode, PublishItem, SaveReceipt } from '@switchboard/domain/ports';

type ReceiptEntries = PublishItem['receipt'];

export function openReceipt({ receipt }: Pick<PublishItem, 'receipt'>, saveReceipt: SaveReceipt) {
  let stored = receipt;
  const replace = (entries: ReceiptEntries) => saveReceipt((stored = entries));
  return {
    get entries() {
      return stored;
    },
    /** Adds or replaces entries; they are durable when this resolves. */
    save: (entries: ReceiptEntries) => replace({ ...stored, ...entries }),
    replace,
  };
}

/** The receipt of a part during one attempt: what earlier attempts stored, and what this one adds. */
export type PartReceipt = ReturnType<typeof openReceipt>;

/** A part that the platform has refused is not continued: a retry starts with its files. */
export async function discardIfRefused<Outcome extends Result<unknown, PlatformFailureCode>>(
  receipt: PartReceipt,
  outcome: Outcome,
): Promise<Outcome> {
  if (!outcome.ok && outcome.failure.code === 'platform.refused') await receipt.replace({});
  return outcome;
}
