import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, JSONRPCMessageSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import {
  findMessageDefect,
  MAX_MESSAGE_BYTES,
  messageDefect,
  type MessageDefect,
} from '../protocol/message-defect.js';

const NEWLINE = 0x0a;
/** Enough of the start and of the end of a line that is too long to find the id of its request. */
const EDGE_BYTES = 512;

/**
 * JSON-RPC over stdio, one message per line. The SDK's own transport stops reading at a line that is too long
 * and ignores a line that is not a message; here each gets an error, and the lines after it are read.
 */
export function lineTransport(input: Readable, output: Writable): Transport {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const write = (message: object) =>
    new Promise<void>((resolve) => {
      if (output.write(`${JSON.stringify(message)}\n`)) resolve();
      else output.once('drain', resolve);
    });
  const reject = (defect: MessageDefect) => void write({ jsonrpc: '2.0', ...defect });

  /** Of a line that is too long, only its edges are kept. */
  function append(chunk: Buffer) {
    pendingBytes += chunk.length;
    pending.push(chunk);
    if (pendingBytes <= MAX_MESSAGE_BYTES) return;
    const kept = Buffer.concat(pending);
    pending = [kept.subarray(0, EDGE_BYTES), kept.subarray(-EDGE_BYTES)];
  }

  function endLine() {
    const line = Buffer.concat(pending).toString('utf8').trim();
    const isTooLong = pendingBytes > MAX_MESSAGE_BYTES;
    pending = [];
    pendingBytes = 0;
    if (isTooLong) {
      const message = `The line exceeds ${MAX_MESSAGE_BYTES} bytes: send a smaller message.`;
      return reject(messageDefect(message, findRequestId(line)));
    }
    if (line === '') return;
    const value = parseJson(line);
    if (value === undefined) {
      return reject(messageDefect('The line is not valid JSON.', null, ErrorCode.ParseError));
    }
    if (Array.isArray(value)) return reject(messageDefect('Send one message per line, without a batch.'));
    const defect = findMessageDefect(value);
    if (defect) return reject(defect);
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) transport.onmessage?.(message.data);
  }

  function read(chunk: Buffer) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      append(chunk.subarray(start, end));
      endLine();
      start = end + 1;
    }
    if (start < chunk.length) append(chunk.subarray(start));
  }

  const fail = (error: Error) => transport.onerror?.(error);
  const transport: Transport = {
    async start() {
      input.on('data', read).on('error', fail).on('end', endLine);
    },
    send: write,
    async close() {
      input.off('data', read).off('error', fail).off('end', endLine).pause();
      transport.onclose?.();
    },
  };
  return transport;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Clients write the id of a request first or last in its line. Elsewhere it could belong to a nested object,
 * and a response with a foreign id would end another request.
 */
function findRequestId(line: string): RequestId | null {
  const id = /^\{(?:"jsonrpc":"2\.0",)?"id":(\d{1,15}|"[\w-]{1,64}"),|,"id":(\d{1,15}|"[\w-]{1,64}")\}$/.exec(
    line,
  );
  return id ? (JSON.parse((id[1] ?? id[2]) as string) as RequestId) : null;
}
