import type { Program } from '@switchboard/acceptance';

const running = new Set<Program>();

/**
 * A program with children of its own has to be stopped when a measurement is aborted, or the children stay.
 */
export async function withProgram<Value>(program: Program, use: () => Promise<Value>): Promise<Value> {
  running.add(program);
  try {
    return await use();
  } finally {
    await program.stop();
    running.delete(program);
  }
}

export async function stopRunning(): Promise<void> {
  await Promise.all([...running].map((program) => program.stop()));
}
