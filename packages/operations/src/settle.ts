import type { Call, Ports } from '@switchboard/domain';
import type { Answer } from './answer.js';
import type { Operation } from './define.js';
import type { Memory } from './once.js';
import { present, type Ran } from './run.js';

/**
 * Waits, as long as the caller is willing to, until what was answered has settled; then answers as it is. Where no slot for
 * waiting is free the answer is given as it stands, and says that the preference was not applied.
 */
export async function settle(
  ports: Ports,
  operation: Operation,
  call: Call,
  ran: Ran,
  memory: Memory,
): Promise<Answer> {
  const { settling } = operation;
  if (!settling || ran.value === undefined || call.waitSeconds === 0) return ran.answer;
  if (settling.settled(ran.value, ports.clock.now()) || call.signal.aborted) return ran.answer;
  call.onProgress?.(settling.progress(ran.value));
  const slot = await ports.waitingSlots.enter(call.workspaceId);
  if (!slot) return { ...ran.answer, waited: false };
  const value = await untilSettled(ports, operation, call, ran.value).finally(() => slot.leave());
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

/** The value as it was read last: settled, or at the end of the caller's patience. One that can no longer be read stays as it was. */
async function untilSettled(
  ports: Ports,
  operation: Operation,
  call: Call,
  first: unknown,
): Promise<unknown> {
  const { settling } = operation;
  if (!settling) return first;
  const untilMs = ports.clock.now().getTime() + call.waitSeconds * 1000;
  const leftMs = () => untilMs - ports.clock.now().getTime();
  const watch = ports.changes.watch((first as { readonly id: string }).id);
  try {
    for (let value = first; ;) {
      // Looked at once more after the watch was opened: from here on no change is missed.
      const next = await settling.reread(ports, call, value);
      if (!next.ok) return first;
      ({ value } = next);
      call.onProgress?.(settling.progress(value));
      if (settling.settled(value, ports.clock.now()) || leftMs() <= 0 || call.signal.aborted) return value;
      await watch.next(leftMs(), call.signal);
    }
  } finally {
    watch.close();
  }
}
