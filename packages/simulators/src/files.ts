import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Bytes by name, too many for the journal. */
export interface Files {
  write(name: string, bytes: Uint8Array): void;
  read(name: string): Uint8Array | undefined;
}

/** Without a folder they are forgotten at close. */
export function openFiles(folder: string | undefined): Files {
  if (folder === undefined) {
    const kept = new Map<string, Uint8Array>();
    return {
      write: (name, bytes) => void kept.set(name, bytes),
      read: (name) => kept.get(name),
    };
  }
  mkdirSync(folder, { recursive: true });
  const place = (name: string) => path.join(folder, name);
  return {
    write: (name, bytes) => writeFileSync(place(name), bytes, { mode: 0o600 }),
    read: (name) => readFileSync(place(name)),
  };
}
