import net from 'node:net';
import type { ServerInfo } from './control-files.js';

export interface Line {
  readonly socket: net.Socket;
  /** The first line the keeper said, '' when it ended the connection instead. */
  readonly answer: string;
}

/**
 * Sends one request to a keeper (lease-desk.ts says which there are). Null when there is no keeper: what answers
 * on its port may be somebody else's program by now, which is why only so much time is given to it.
 */
export function ask(info: ServerInfo, request: string, milliseconds = 2000): Promise<Line | null> {
  return new Promise((resolve) => {
    const socket = net.connect(info.leasePort, '127.0.0.1').setEncoding('utf8');
    let received = '';
    const giveUp = () => {
      socket.destroy();
      resolve(null);
    };
    const timer = setTimeout(giveUp, milliseconds);
    const finish = (answer: string) => {
      clearTimeout(timer);
      socket.off('data', read).off('close', ended).off('error', giveUp);
      socket.on('error', () => undefined);
      resolve({ socket, answer });
    };
    const read = (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end >= 0) finish(received.slice(0, end));
    };
    const ended = () => finish('');
    socket.once('error', () => {
      clearTimeout(timer);
      giveUp();
    });
    socket.on('data', read).once('close', ended);
    socket.once('connect', () => socket.write(`${info.token} ${request}\n`));
  });
}
