import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Charts, DrawnChart } from '@switchboard/domain/ports';
import type { DrawingRequest, DrawingResponse, DrawingTask } from './protocol.js';

export interface ClosableCharts extends Charts {
  close(): Promise<void>;
}

/** A chart takes milliseconds; a thread that does not respond is ended. */
const DEADLINE_MS = 30_000;
/** An idle process has no thread. */
const IDLE_MS = 10_000;
/** Charts that are requested again and have not changed. */
const CACHED = 32;

/** Also where this file runs from source or in a bundle. */
const require = createRequire(import.meta.url);
const program = require.resolve('@switchboard/charts/program');
const fonts = require.resolve('@switchboard/charts/fonts');

interface WaitingRequest {
  readonly resolve: (drawing: string | Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

interface Drawer {
  readonly worker: Worker;
  readonly waiting: Map<number, WaitingRequest>;
  requests: number;
}

/**
 * Draws in one thread, started on demand: neither the library is loaded into the process that serves requests, nor
 * does a large chart delay them.
 */
export function threadCharts(): ClosableCharts {
  const cache = new Map<string, DrawnChart>();
  let drawer: Drawer | null = null;
  let idle: NodeJS.Timeout | undefined;

  function end(ended: Drawer, error: Error): void {
    if (drawer === ended) drawer = null;
    void ended.worker.terminate();
    for (const { reject } of ended.waiting.values()) reject(error);
    ended.waiting.clear();
  }

  function start(): Drawer {
    // fontconfig reads the environment of the process.
    process.env['FONTCONFIG_FILE'] ??= fonts;
    const worker = new Worker(program, { env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } });
    const started: Drawer = { worker, waiting: new Map(), requests: 0 };
    worker.unref();
    worker.on('message', (response: DrawingResponse) => {
      const asked = started.waiting.get(response.id);
      started.waiting.delete(response.id);
      if ('error' in response) asked?.reject(new Error(response.error));
      else asked?.resolve(response.drawing);
    });
    worker.on('error', (error) => end(started, error as Error));
    worker.on('exit', () => end(started, new Error('The drawing thread ended.')));
    return started;
  }

  async function draw(task: DrawingTask): Promise<string | Uint8Array> {
    clearTimeout(idle);
    const used = (drawer ??= start());
    const deadline = setTimeout(() => end(used, new Error('A chart was not drawn in time.')), DEADLINE_MS);
    try {
      return await new Promise<string | Uint8Array>((resolve, reject) => {
        const request: DrawingRequest = { id: used.requests++, task };
        used.waiting.set(request.id, { resolve, reject });
        used.worker.postMessage(request);
      });
    } finally {
      clearTimeout(deadline);
      if (used.waiting.size === 0) idle = setTimeout(() => end(used, new Error('idle')), IDLE_MS).unref();
    }
  }

  return {
    async draw(chart, style) {
      const key = digestOf(JSON.stringify([chart, style]));
      const cached = cache.get(key);
      if (cached) return cached;
      const svg = String(await draw({ format: 'svg', chart, style }));
      const drawn = { svg, digest: digestOf(svg) };
      cache.set(key, drawn);
      if (cache.size > CACHED) cache.delete(cache.keys().next().value ?? '');
      return drawn;
    },
    async drawPng(chart, size) {
      return (await draw({ format: 'png', chart, size })) as Uint8Array;
    },
    async close() {
      clearTimeout(idle);
      const running = drawer;
      drawer = null;
      await running?.worker.terminate();
    },
  };
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
