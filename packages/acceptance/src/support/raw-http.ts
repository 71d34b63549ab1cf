import { connect } from 'node:net';

const TIMEOUT_MS = 5000;

export interface RawResponse {
  /** Null when the connection ended without a response. */
  readonly status: number | null;
  readonly text: string;
  /** The server closed the connection. */
  readonly closed: boolean;
}

/**
 * Sends raw bytes that no HTTP library would send. Resolves when the server closes the connection, or when
 * the response is complete.
 */
export function sendRaw(url: string, bytes: string | Buffer): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const done = (closed: boolean) => {
      clearTimeout(deadlineTimer);
      clearTimeout(idleTimer);
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({ status: status === undefined ? null : Number(status), text, closed });
    };
    const deadlineTimer = setTimeout(() => done(false), TIMEOUT_MS);
    let idleTimer: NodeJS.Timeout | undefined;
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      clearTimeout(idleTimer);
      idleTimer = setTimeout(() => done(false), 400);
    });
    socket.on('error', () => done(true));
    socket.on('close', () => done(true));
  });
}
