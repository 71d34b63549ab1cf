import { DatabaseSync } from 'node:sqlite';

export interface SupervisorLock {
  release(): void;
}

/**
 * Makes the caller the only one who may touch the cluster of a data directory, or gives null. The lock is
 * SQLite's, which is the operating system's: it ends with the process, however the process ends, so no stale
 * lock file has to be judged.
 */
export function tryAcquireSupervisorLock(file: string): SupervisorLock | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch {
    database.close();
    return null;
  }
  return { release: () => database.close() };
}
