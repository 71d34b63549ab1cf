import { settleDeliveries, type SettledDelivery, type SettlePorts } from './settle-delivery.js';

/** One transaction holds so many endings at most. */
const BATCH_MAX = 100;

interface PendingSettlement {
  readonly settled: SettledDelivery;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes endings as they come. Those that come while others are being written are written together after them: the busier it
 * is, the fewer statements an ending costs. Resolves when it is written; rejects for the one that could not be, and only for it.
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
    // Whatever one of them holds that cannot be written, the others do not suffer for it.
    if (batch.length > 1) await Promise.all(batch.map((one) => writeBatch(ports, [one])));
    else batch[0]?.reject(error);
  }
}
