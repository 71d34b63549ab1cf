import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Files by name, too large for the journal. */
export interface FileStore {
  write(name: string, bytes: Uint8Array): void;
  read(name: string): Uint8Array | undefined;
}

/** Without a directory, files are discarded at close. */
export function openFileStore(folder: string | undefined): FileStore {
  if (folder === undefined) {
    const stored = new Map<string, Uint8Array>();
    return {
      write: (name, bytes) => void stored.set(name, bytes),
      read: (name) => stored.get(name),
    };
  }
  mkdirSync(folder, { recursive: true });
  const place = (name: string) => path.join(folder, name);
  return {
    write: (name, bytes) => writeFileSync(place(name), bytes, { mode: 0o600 }),
    read: (name) => readFileSync(place(name)),
  };
}
