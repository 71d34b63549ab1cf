import { startRealProcess } from './real-process.js';

const BOOT_DEADLINE_MS = 60_000;

export interface BlueskyProcess {
  readonly url: string;
  readonly plcUrl: string;
  /** Breaks the connection of the next call of an XRPC method, before or after the PDS completed it. */
  dropNext(what: 'request' | 'response', nsid: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startBlueskyProcess(): Promise<BlueskyProcess> {
  const server = await startRealProcess<{ readonly url: string; readonly plcUrl: string }>('bluesky', {
    bootDeadlineMs: BOOT_DEADLINE_MS,
  });
  let commands = 0;
  return {
    ...server.ready,
    dropNext: (drop, method) => server.send({ id: ++commands, drop, method }),
    stop: () => server.stop(),
  };
}
