import { eventually } from '../support/eventually.js';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';
import type { Env } from '../support/start-switchboard.js';

/** What runs in each process of a fleet. */
export interface FleetProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly ready: RegExp;
  /** What one of them has beside what all have. */
  readonly envOf: (index: number) => Env;
}

const workerProgram: FleetProgram = {
  file: programs.cli,
  args: ['worker'],
  ready: /The worker is ready/,
  envOf: () => ({}),
};
/** One that cannot start while the database is away is tried again after this. */
const RESTART_DELAY_MS = 500;

/** Processes of one kind, each with a group of its own. One that ends, however it ends, is replaced. */
export interface Fleet {
  /** SIGKILL of the group of one that works; false when none does. */
  kill(choose: <One>(among: readonly One[]) => One): boolean;
  /** SIGSTOP of one that works; what is returned lets it go on. Null when none does. */
  pause(choose: <One>(among: readonly One[]) => One): (() => void) | null;
  readonly countRunning: () => number;
  /** Resolves when all work. */
  waitUntilRunning(): Promise<void>;
  stop(): Promise<void>;
}

interface FleetSlot {
  program: Program;
  state: 'starting' | 'working' | 'paused' | 'ended';
}

export function startFleet(
  size: number,
  env: Env,
  onOutput: (text: string) => void,
  { file, args, ready, envOf }: FleetProgram = workerProgram,
): Fleet {
  let stopping = false;
  const slots: FleetSlot[] = [];
  const restartTimers = new Set<NodeJS.Timeout>();

  const startSlot = (index: number): FleetSlot => {
    const program = startProgram(file, { ...env, ...envOf(index) }, args, { ownGroup: true });
    const slot: FleetSlot = { program, state: 'starting' };
    program.waitForOutput(ready).then(
      () => {
        if (slot.state === 'starting') slot.state = 'working';
      },
      // One that hangs at its start is as bad as one that ended.
      () => program.kill('SIGKILL'),
    );
    return slot;
  };
  const runSlot = (index: number) => {
    const slot = startSlot(index);
    slots[index] = slot;
    void slot.program.exited.then(({ signal }) => {
      slot.state = 'ended';
      onOutput(slot.program.output());
      if (stopping) return;
      const timer = setTimeout(
        () => {
          restartTimers.delete(timer);
          if (!stopping) runSlot(index);
        },
        signal === 'SIGKILL' ? 0 : RESTART_DELAY_MS,
      );
      restartTimers.add(timer);
    });
  };
  for (let index = 0; index < size; index += 1) runSlot(index);
  // A worker that is stopped does not hear that its parent has gone.
  const killAll = () => slots.forEach(({ program }) => program.kill('SIGKILL'));
  process.once('exit', killAll);

  const inState = (state: FleetSlot['state']) => slots.filter((slot) => slot.state === state);
  return {
    countRunning: () => inState('working').length,
    async waitUntilRunning() {
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
      for (const wait of restartTimers) clearTimeout(wait);
      killAll();
      await Promise.all(slots.map(({ program }) => program.exited));
      process.off('exit', killAll);
    },
  };
}
