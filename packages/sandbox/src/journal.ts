import fs from 'node:fs';
import { dirname } from 'node:path';

interface JournalRecord {
  readonly in: string;
  readonly id: string;
  /** Absent: deleted. */
  readonly record?: unknown;
}

/**
 * The sandbox's persistent state: collections whose every change is one line of a file, so that a restart
 * restores them. Without a file, it exists in memory until it is closed.
 */
export function openJournal(file: string | undefined) {
  const collections = new Map<string, Map<string, unknown>>();
  const records = (name: string) => {
    const known = collections.get(name) ?? new Map<string, unknown>();
    collections.set(name, known);
    return known;
  };
  const apply = (line: JournalRecord) => {
    if (line.record === undefined) records(line.in).delete(line.id);
    else records(line.in).set(line.id, line.record);
  };

  let descriptor: number | undefined;
  if (file !== undefined) {
    fs.mkdirSync(dirname(file), { recursive: true });
    readLines(file).forEach(apply);
    compact(file, collections);
    descriptor = fs.openSync(file, 'a', 0o600);
  }

  let waiting: JournalRecord[] | undefined;
  const write = (lines: readonly JournalRecord[]) => {
    if (descriptor !== undefined && lines.length > 0) fs.writeSync(descriptor, toText(lines));
  };
  const change = (line: JournalRecord) => {
    apply(line);
    if (waiting === undefined) write([line]);
    else waiting.push(line);
  };

  return {
    /** Records of one kind by ID, in insertion order. Records are replaced, never mutated. */
    collection: <T>(name: string) => ({
      // The file is only written through the same typed collection.
      get: (id: string) => records(name).get(id) as T | undefined,
      set: (id: string, record: T) => change({ in: name, id, record }),
      delete: (id: string) => change({ in: name, id }),
      values: () => [...records(name).values()] as T[],
    }),
    /** Writes all changes made inside atomically: after a crash all or none of them exist. */
    transaction(work: () => void): void {
      waiting = [];
      try {
        work();
      } finally {
        const lines = waiting;
        waiting = undefined;
        write(lines);
      }
    },
    close() {
      if (descriptor !== undefined) fs.closeSync(descriptor);
      descriptor = undefined;
    },
  };
}
export type Journal = ReturnType<typeof openJournal>;

function readLines(file: string): JournalRecord[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  // A crash tore everything after the last line break, so it was never acknowledged.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as JournalRecord);
}

function compact(file: string, collections: ReadonlyMap<string, ReadonlyMap<string, unknown>>): void {
  const lines = [...collections].flatMap(([name, known]) =>
    [...known].map(([id, record]) => ({ in: name, id, record })),
  );
  const next = `${file}.next`;
  fs.writeFileSync(next, toText(lines), { mode: 0o600, flush: true });
  fs.renameSync(next, file);
}

function toText(lines: readonly JournalRecord[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
