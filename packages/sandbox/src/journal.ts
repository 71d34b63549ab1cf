import fs from 'node:fs';
import { dirname } from 'node:path';

/** Records of one kind by ID, in insertion order. Records are replaced, never mutated. */
export interface JournalCollection<T> {
  get(id: string): T | undefined;
  set(id: string, record: T): void;
  delete(id: string): void;
  values(): T[];
}

/**
 * The sandbox's persistent state: collections whose every change is one line of a file, so that a restart
 * restores them.
 */
export interface Journal {
  collection<T>(name: string): JournalCollection<T>;
  /** Writes all changes made inside atomically: after a crash all or none of them exist. */
  transaction(work: () => void): void;
  close(): void;
}

interface JournalRecord {
  readonly in: string;
  readonly id: string;
  /** Absent: deleted. */
  readonly record?: unknown;
}

/** Without a file, the journal exists in memory until it is closed. */
export function openJournal(file: string | undefined): Journal {
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
    collection: <T>(name: string): JournalCollection<T> => ({
      // The file is only written through the same typed collection.
      get: (id) => records(name).get(id) as T | undefined,
      set: (id, record) => change({ in: name, id, record }),
      delete: (id) => change({ in: name, id }),
      values: () => [...records(name).values()] as T[],
    }),
    transaction(work) {
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
