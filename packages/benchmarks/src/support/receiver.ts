import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReceivedMessages } from './receiver-thread.js';

/** An HTTP server that receives webhooks, in a thread of its own. `/timed` also measures their delay. */
export async function startReceiver() {
  const worker = new Worker(new URL('./receiver-thread.js', import.meta.url));
  const [port] = (await once(worker, 'message')) as [number];
  const ask = async (path: string | null): Promise<ReceivedMessages> => {
    worker.postMessage(path);
    const [answer] = (await once(worker, 'message')) as [ReceivedMessages];
    return answer;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    read: (path: string) => ask(path),
    reset: () => ask(null),
    close: () => worker.terminate(),
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
