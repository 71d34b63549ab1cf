import type { Call, Ports } from '@switchboard/domain';
import type { Answer } from './answer.js';
import type { Operation } from './define.js';
import type { Memory } from './once.js';
import { present, type Ran } from './run.js';

const POLL_MS = 100;

/** Waits, as long as the caller is willing to, until what was answered has settled; then answers as it is. */
export async function settle(
  ports: Ports,
  operation: Operation,
  call: Call,
  ran: Ran,
  memory: Memory,
): Promise<Answer> {
  const { settling } = operation;
  if (!settling || ran.value === undefined || call.waitSeconds === 0) return ran.answer;
  const until = ports.clock.now().getTime() + call.waitSeconds * 1000;
  let value: unknown = ran.value;
  if (!settling.settled(value, ports.clock.now())) call.onProgress?.(settling.progress(value));
  while (
    !settling.settled(value, ports.clock.now()) &&
    ports.clock.now().getTime() < until &&
    !call.signal.aborted
  ) {
    await ports.clock.sleep(POLL_MS, call.signal);
    const next = await settling.reread(ports, call, value);
    if (!next.ok) return ran.answer;
    ({ value } = next);
    call.onProgress?.(settling.progress(value));
  }
  if (value === ran.value) return ran.answer;
  const { answer } = present(ports, operation, call, value);
  if (memory.mark) {
    await ports.transactions.run(async (tx) => {
      await memory.amend(tx, answer);
      return { ok: true, value: undefined };
    });
  }
  return answer;
}
