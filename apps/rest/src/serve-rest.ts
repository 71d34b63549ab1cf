import type { Service } from '@switchboard/bootstrap';
import { listen } from './listen.js';
import { rejectUnreadableRequest } from './reject-unreadable-request.js';
import { createServer } from './server.js';

const DRAIN_MS = 10_000;

/** Serves a service over HTTP, when that is a role of the process. */
export async function serveRest(service: Service) {
  const { config } = service;
  const server = config.roles.includes('http')
    ? await listen(createServer(service), config, rejectUnreadableRequest(service))
    : null;
  return {
    /** Null when this process only works in the background. */
    url: server?.url ?? null,
    /** Stops accepting requests, waits for running ones, and closes the service. */
    async stop() {
      const left = server === null ? Promise.resolve() : service.leave();
      await Promise.all([left.then(() => service.drain()), server?.drain(DRAIN_MS, left)]);
      await service.close();
    },
  };
}

export type RestServer = Awaited<ReturnType<typeof serveRest>>;
