import { DatabaseSync } from 'node:sqlite';

export interface SupervisorLock {
  release(): void;
}

/**
 * Acquires the exclusive right to manage the cluster of a data directory, or returns null. The lock is
 * SQLite's, which is a lock of the operating system: it ends with the process, however the process ends, so
 * no stale lock file needs to be detected.
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
