import { settleDeliveries, type SettledDelivery, type SettlePorts } from './settle-delivery.js';

/** The maximum number of settlements per transaction. */
const BATCH_MAX = 100;

interface PendingSettlement {
  readonly settled: SettledDelivery;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes settlements in batches. Those that arrive during a write are written together in the next one: the
 * higher the load, the fewer statements per settlement. Resolves when it is written; rejects only for the one
 * that cannot be written.
 */
export function batchedSettlement(ports: SettlePorts): (settled: SettledDelivery) => Promise<void> {
  const waiting: PendingSettlement[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) await writeBatch(ports, waiting.splice(0, BATCH_MAX));
    isWriting = false;
  }

  return (settled) =>
    new Promise((resolve, reject) => {
      waiting.push({ settled, resolve, reject });
      void writeAll();
    });
}

async function writeBatch(ports: SettlePorts, batch: readonly PendingSettlement[]): Promise<void> {
  try {
    await settleDeliveries(
      ports,
      batch.map(({ settled }) => settled),
    );
    for (const { resolve } of batch) resolve();
  } catch (error) {
    // If one of them cannot be written, each is written separately, so that the others are unaffected.
    if (batch.length > 1) await Promise.all(batch.map((one) => writeBatch(ports, [one])));
    else batch[0]?.reject(error);
  }
}
