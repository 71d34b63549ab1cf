import net from 'node:net';
import type { ServerInfo } from './control-files.js';

interface SupervisorConnection {
  readonly socket: net.Socket;
  /** The first line that the supervisor sent, '' when it closed the connection instead. */
  readonly response: string;
}

/**
 * Sends one request to a supervisor (lease-server.ts defines the requests). Null without a supervisor: an
 * unrelated program may have its port by now, which is why the response has a time limit.
 */
export function sendSupervisorRequest(
  info: ServerInfo,
  request: string,
  milliseconds = 2000,
): Promise<SupervisorConnection | null> {
  return new Promise((resolve) => {
    const socket = net.connect(info.leasePort, '127.0.0.1').setEncoding('utf8');
    let received = '';
    const fail = () => {
      socket.destroy();
      resolve(null);
    };
    const timer = setTimeout(fail, milliseconds);
    const finish = (answer: string) => {
      clearTimeout(timer);
      socket.off('data', read).off('close', onClose).off('error', fail);
      socket.on('error', () => undefined);
      resolve({ socket, response: answer });
    };
    const read = (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end >= 0) finish(received.slice(0, end));
    };
    const onClose = () => finish('');
    socket.once('error', () => {
      clearTimeout(timer);
      fail();
    });
    socket.on('data', read).once('close', onClose);
    socket.once('connect', () => socket.write(`${info.token} ${request}\n`));
  });
}
