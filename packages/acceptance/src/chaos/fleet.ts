import { eventually } from '../support/eventually.js';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';
import type { Env } from '../support/switchboard.js';

/** What runs in each process of a fleet. */
export interface Crew {
  readonly file: string;
  readonly args: readonly string[];
  readonly ready: RegExp;
  /** What one of them has beside what all have. */
  readonly envOf: (index: number) => Env;
}

const workers: Crew = {
  file: programs.cli,
  args: ['worker'],
  ready: /The worker is ready/,
  envOf: () => ({}),
};
/** One that cannot start while the database is away is tried again after this. */
const AGAIN_MS = 500;

/** Processes of one kind, each with a group of its own. One that ends, however it ends, is replaced. */
export interface Fleet {
  /** SIGKILL of the group of one that works; false when none does. */
  kill(choose: <One>(among: readonly One[]) => One): boolean;
  /** SIGSTOP of one that works; what is returned lets it go on. Null when none does. */
  pause(choose: <One>(among: readonly One[]) => One): (() => void) | null;
  readonly working: () => number;
  /** Resolves when all work. */
  complete(): Promise<void>;
  stop(): Promise<void>;
}

interface Slot {
  program: Program;
  state: 'starting' | 'working' | 'paused' | 'ended';
}

export function startFleet(
  size: number,
  env: Env,
  onOutput: (text: string) => void,
  { file, args, ready, envOf }: Crew = workers,
): Fleet {
  let stopping = false;
  const slots: Slot[] = [];
  const waits = new Set<NodeJS.Timeout>();

  const start = (index: number): Slot => {
    const program = startProgram(file, { ...env, ...envOf(index) }, args, { ownGroup: true });
    const slot: Slot = { program, state: 'starting' };
    program.says(ready).then(
      () => {
        if (slot.state === 'starting') slot.state = 'working';
      },
      // One that hangs at its start is as bad as one that ended.
      () => program.kill('SIGKILL'),
    );
    return slot;
  };
  const keep = (index: number) => {
    const slot = start(index);
    slots[index] = slot;
    void slot.program.ended.then(({ signal }) => {
      slot.state = 'ended';
      onOutput(slot.program.output());
      if (stopping) return;
      const wait = setTimeout(
        () => {
          waits.delete(wait);
          if (!stopping) keep(index);
        },
        signal === 'SIGKILL' ? 0 : AGAIN_MS,
      );
      waits.add(wait);
    });
  };
  for (let index = 0; index < size; index += 1) keep(index);
  // A worker that is stopped does not hear that its parent has gone.
  const killAll = () => slots.forEach(({ program }) => program.kill('SIGKILL'));
  process.once('exit', killAll);

  const inState = (state: Slot['state']) => slots.filter((slot) => slot.state === state);
  return {
    working: () => inState('working').length,
    async complete() {
      await eventually('all of them work', async () => (inState('working').length === size ? true : null));
    },
    kill(choose) {
      const victims = inState('working');
      if (victims.length === 0) return false;
      const victim = choose(victims);
      victim.state = 'ended';
      victim.program.kill('SIGKILL');
      return true;
    },
    pause(choose) {
      const victims = inState('working');
      if (victims.length === 0) return null;
      const victim = choose(victims);
      victim.state = 'paused';
      victim.program.kill('SIGSTOP');
      return () => {
        victim.program.kill('SIGCONT');
        if (victim.state === 'paused') victim.state = 'working';
      };
    },
    async stop() {
      stopping = true;
      for (const wait of waits) clearTimeout(wait);
      killAll();
      await Promise.all(slots.map(({ program }) => program.ended));
      process.off('exit', killAll);
    },
  };
}
