import { settleDeliveries, type Settled, type SettlePorts } from './settle-delivery.js';

/** One transaction holds so many endings at most. */
const TOGETHER_MAX = 100;

interface Waiting {
  readonly settled: Settled;
  readonly written: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Writes endings as they come. Those that come while others are being written are written together after them: the busier it
 * is, the fewer statements an ending costs. Resolves when it is written; rejects for the one that could not be, and only for it.
 */
export function settlingLane(ports: SettlePorts): (settled: Settled) => Promise<void> {
  const waiting: Waiting[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) await write(ports, waiting.splice(0, TOGETHER_MAX));
    isWriting = false;
  }

  return (settled) =>
    new Promise((written, failed) => {
      waiting.push({ settled, written, failed });
      void writeAll();
    });
}

async function write(ports: SettlePorts, together: readonly Waiting[]): Promise<void> {
  try {
    await settleDeliveries(
      ports,
      together.map(({ settled }) => settled),
    );
    for (const { written } of together) written();
  } catch (error) {
    // Whatever one of them holds that cannot be written, the others do not suffer for it.
    if (together.length > 1) await Promise.all(together.map((one) => write(ports, [one])));
    else together[0]?.failed(error);
  }
}
