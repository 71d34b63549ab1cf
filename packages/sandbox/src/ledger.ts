import fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { PlatformName } from './world.js';

export type EffectName =
  | 'token.issued'
  | 'token.revoked'
  | 'post.created'
  | 'post.edited'
  | 'post.deleted'
  | 'comment.created'
  | 'comment.edited'
  | 'comment.deleted'
  | 'refund.created';

/** An effect that happened in the sandbox. `id` is that of the created object; for a token it is a hash. */
interface LedgerEffect {
  readonly platform: PlatformName;
  readonly effect: EffectName;
  readonly account: string;
  readonly id: string;
  /** The caller's reference (`client_ref`, `reference`). */
  readonly reference: string | null;
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

export type LedgerEntry = Omit<LedgerEffect, 'details'> & {
  readonly seq: number;
  readonly at: string;
} & Readonly<Record<string, unknown>>;

interface LedgerFilter {
  readonly platform?: string | undefined;
  readonly effect?: string | undefined;
  readonly account?: string | undefined;
  readonly reference?: string | undefined;
  readonly afterSeq?: number | undefined;
}

/**
 * The source of truth for verifying a history of calls: each effect once, in order, and durable before any
 * response.
 */
export function openLedger(file: string | undefined) {
  const entries: LedgerEntry[] = [];
  let descriptor: number | undefined;
  if (file !== undefined) {
    fs.mkdirSync(dirname(file), { recursive: true });
    entries.push(...readEntries(file));
    descriptor = fs.openSync(file, 'a', 0o600);
  }
  let [written, onDisk] = [0, 0];
  let syncing: Promise<void> | undefined;
  async function sync(): Promise<void> {
    const upTo = written;
    try {
      if (descriptor !== undefined) await promisify(fs.fdatasync)(descriptor);
      onDisk = upTo;
    } finally {
      syncing = undefined;
    }
  }
  return {
    entries: (filter: LedgerFilter = {}) => entries.filter((entry) => fits(entry, filter)),
    append({ details, ...effect }: LedgerEffect, at: Date): LedgerEntry {
      const entry: LedgerEntry = { seq: entries.length + 1, at: at.toISOString(), ...effect, ...details };
      if (descriptor !== undefined) {
        fs.writeSync(descriptor, `${JSON.stringify(entry)}\n`);
        written += 1;
      }
      entries.push(entry);
      return entry;
    },
    /** Resolves when all appended entries are on disk. Concurrent callers share one disk write. */
    async durable(): Promise<void> {
      for (const requested = written; onDisk < requested;) await (syncing ??= sync());
    },
    close(): void {
      if (descriptor !== undefined) fs.closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

export type Ledger = ReturnType<typeof openLedger>;

function readEntries(file: string): LedgerEntry[] {
  if (!fs.existsSync(file)) return [];
  const text = fs.readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  // A line torn by a crash was never acknowledged; the next entry must not be appended to it.
  if (whole.length < text.length) fs.truncateSync(file, Buffer.byteLength(whole));
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LedgerEntry);
}

function fits(entry: LedgerEntry, filter: LedgerFilter): boolean {
  return (
    (filter.platform === undefined || entry.platform === filter.platform) &&
    (filter.effect === undefined || entry.effect === filter.effect) &&
    (filter.account === undefined || entry.account === filter.account) &&
    (filter.reference === undefined || entry.reference === filter.reference) &&
    (filter.afterSeq === undefined || entry.seq > filter.afterSeq)
  );
}
