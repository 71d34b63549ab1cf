import type { Service } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import { createErrorResponse } from '@switchboard/operations';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Responds to connections without a readable request: bytes that are not HTTP, or oversized headers. The
 * failure has the same format as every other.
 */
export const rejectUnreadableRequest =
  ({ ports }: Pick<Service, 'ports'>) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const requestId = ports.ids.next('req');
    const reason =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? 'The request line and the headers are too long.'
        : 'The request is not valid HTTP.';
    const { status, body: writeBody } = createErrorResponse(failure('request.invalid', reason), requestId);
    const body = writeBody();
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `X-Request-Id: ${requestId}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
