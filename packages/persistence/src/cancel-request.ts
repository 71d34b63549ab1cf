import net from 'node:net';
import type pg from 'pg';

const CANCEL_REQUEST_CODE = 80_877_102;
const TIMEOUT_MS = 5000;

/** Properties of a `pg` connection that its type declarations lack. */
type ConnectionInternals = pg.ClientBase & {
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly host: string;
  readonly port: number;
};

/**
 * Requests cancellation of the statement in progress, over a separate connection outside the pool:
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS. Best effort: the
 * server sends no response, and a lost request leaves the statement to its timeout.
 */
export function sendCancelRequest(client: pg.ClientBase): void {
  const { processID, secretKey, host, port } = client as ConnectionInternals;
  if (processID === null || secretKey === null) return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
  socket.end(request);
}
