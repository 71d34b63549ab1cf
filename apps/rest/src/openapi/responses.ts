import { failures, type FailureCode } from '@switchboard/domain';
import { canWait, statusOfKind, type Operation } from '@switchboard/operations';
import type { ComponentWriter } from './component-writer.js';
import { headerRef } from './fixed-components.js';

/** Every outcome of the operation: its success, and its failures by status with their codes. */
export function responsesOf(
  operation: Operation,
  method: Operation['http']['method'],
  writer: ComponentWriter,
): Record<string, object> {
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of new Set([...commonFailures(operation, method), ...operation.failures])) {
    const status = statusOfKind[failures[code].kind];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return {
    [operation.http.status]: successOf(operation, writer),
    ...(method === 'get' && operation.etag && { 304: { $ref: '#/components/responses/304' } }),
    ...Object.fromEntries(
      [...byStatus].map(([status, codes]) => [
        status,
        writer.problemOf(status, codes, !codes.every((code) => commonCodes.has(code))),
      ]),
    ),
  };
}

/** The failures that precede the use case. */
const everywhere = [
  'request.invalid',
  'auth.invalid_key',
  'rate_limit.exceeded',
  'internal.error',
  'vault.unreadable',
  'service.unavailable',
  'vault.unavailable',
] as const;
const ofBodies = ['request.malformed_json', 'request.too_large', 'request.unsupported_media_type'] as const;
/** A key with such a policy may only read. */
const ofChanges = ['key.policy_unsupported'] as const;
const ofIdempotency = ['idempotency.key_reused', 'idempotency.in_progress'] as const;
const commonCodes: ReadonlySet<FailureCode> = new Set([
  ...everywhere,
  ...ofBodies,
  ...ofChanges,
  ...ofIdempotency,
  'key.scope_missing',
  // Their parameters, Cursor and IfMatch, show where they are possible.
  'request.invalid_cursor',
  'request.precondition_failed',
]);

const commonFailures = (
  { scope, effect, idempotent, csv, svg }: Operation,
  method: Operation['http']['method'],
): readonly FailureCode[] => [
  ...everywhere,
  // A body is also read where none is expected.
  ...(method === 'get' ? [] : ofBodies),
  ...(effect === 'read' ? [] : ofChanges),
  ...(scope === 'any' ? [] : (['key.scope_missing'] as const)),
  ...(idempotent ? ofIdempotency : []),
  ...(csv || svg ? (['request.not_acceptable'] as const) : []),
];

/**
 * Without the headers of every response, which are described for the failures: repeated for each operation, they would be
 * a twentieth of the document.
 */
function successOf(operation: Operation, writer: ComponentWriter): object {
  const { output, example, etag, idempotent, http } = operation;
  if (http.status === 204) return { $ref: '#/components/responses/204' };
  const isPaged = Object.hasOwn(output.shape, 'next_cursor');
  const headers = {
    ...(etag && { ETag: headerRef('ETag') }),
    ...(isPaged && { Link: headerRef('Link') }),
    ...(idempotent && { 'Idempotency-Replayed': headerRef('Replayed') }),
    ...(canWait(operation) && { 'Preference-Applied': headerRef('PreferenceApplied') }),
  };
  return {
    description: 'Success.',
    ...(Object.keys(headers).length > 0 && { headers }),
    content: operation.svg
      ? { 'image/svg+xml': { schema: { type: 'string' } } }
      : {
          'application/json': writer.contentOf(output, example.output),
          ...(operation.csv && { 'text/csv': { schema: { type: 'string' } } }),
        },
  };
}
