import { eventually } from '../support/eventually.js';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';
import type { Env } from '../support/installation.js';

/** The program and environment shared by all processes of a fleet. */
export interface FleetProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly ready: RegExp;
  /** The settings of a single process in addition to the shared ones. */
  readonly envOf: (index: number) => Env;
}

const workerProgram: FleetProgram = {
  file: programs.cli,
  args: ['worker'],
  ready: /The worker is ready/,
  envOf: () => ({}),
};
/** The delay before a process that cannot start without the database is restarted. */
const RESTART_DELAY_MS = 500;

/** Processes of one kind, each in its own process group. A process that exits for any reason is replaced. */
export interface Fleet {
  /** Sends SIGKILL to the group of a ready process; returns false when no process is ready. */
  kill(choose: <One>(among: readonly One[]) => One): boolean;
  /** Sends SIGSTOP to a ready process; the returned function resumes it. Null when no process is ready. */
  pause(choose: <One>(among: readonly One[]) => One): (() => void) | null;
  readonly countRunning: () => number;
  /** Resolves when all processes are ready. */
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
      // A process that hangs during startup is treated as failed.
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
  // A stopped worker does not notice that its parent has exited.
  const killAll = () => slots.forEach(({ program }) => program.kill('SIGKILL'));
  process.once('exit', killAll);

  const inState = (state: FleetSlot['state']) => slots.filter((slot) => slot.state === state);
  return {
    countRunning: () => inState('working').length,
    async waitUntilRunning() {
      await eventually('all processes are ready', async () =>
        inState('working').length === size ? true : null,
      );
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
