import type { Clock, FailureCode, Result } from '@switchboard/domain';

export interface ShortMemory<Value, Code extends FailureCode> {
  /** Whoever asks for the same name at once waits for one answer. Refusals are not remembered. */
  recall(name: string, load: () => Promise<Result<Value, Code>>): Promise<Result<Value, Code>>;
}

interface Remembered<Value, Code extends FailureCode> {
  readonly answer: Promise<Result<Value, Code>>;
  readonly untilMs: number;
}

/** Remembers up to `max` answers for `lifeMs` each; the oldest goes first. */
export function shortMemory<Value, Code extends FailureCode>(
  clock: Pick<Clock, 'now'>,
  { lifeMs, max }: { readonly lifeMs: number; readonly max: number },
): ShortMemory<Value, Code> {
  const memory = new Map<string, Remembered<Value, Code>>();

  const forgetOld = (nowMs: number) => {
    for (const [name, { untilMs }] of memory) {
      if (untilMs > nowMs && memory.size <= max) return;
      memory.delete(name);
    }
  };

  return {
    async recall(name, load) {
      const nowMs = clock.now().getTime();
      forgetOld(nowMs);
      const known = memory.get(name);
      if (known) return known.answer;

      const fresh = { answer: load(), untilMs: nowMs + lifeMs };
      memory.set(name, fresh);
      forgetOld(nowMs);
      const forget = () => memory.get(name) === fresh && memory.delete(name);
      try {
        const result = await fresh.answer;
        if (!result.ok) forget();
        return result;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
