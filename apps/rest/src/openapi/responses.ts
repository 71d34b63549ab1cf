import { failures, type FailureCode } from '@switchboard/domain';
import { canWait, statusOfKind, type Operation } from '@switchboard/operations';
import { headerRef } from './components.js';
import { schemaOf } from './schema-of.js';

const RETRY_LATER = [409, 429, 502, 503];

const rateLimit = {
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
  RateLimit: headerRef('RateLimit'),
};

/** Every outcome of the operation: its success, and its failures grouped by status with their codes. */
export function responsesOf(operation: Operation, hasBody: boolean): Record<string, object> {
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of new Set([...commonFailures(operation, hasBody), ...operation.failures])) {
    const status = statusOfKind[failures[code].kind];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return {
    [operation.http.status]: successOf(operation),
    ...Object.fromEntries(
      [...byStatus]
        .sort(([a], [b]) => a - b)
        .map(([status, codes]) => [status, problemResponseOf(status, codes)]),
    ),
  };
}

/** The failures that precede the use case. */
function commonFailures({ scope, idempotent }: Operation, hasBody: boolean): readonly FailureCode[] {
  return [
    'request.invalid',
    ...(hasBody
      ? (['request.malformed_json', 'request.too_large', 'request.unsupported_media_type'] as const)
      : []),
    'auth.invalid_key',
    ...(scope === 'any' ? [] : (['key.scope_missing'] as const)),
    ...(idempotent ? (['idempotency.key_reused', 'idempotency.in_progress'] as const) : []),
    'rate_limit.exceeded',
    'internal.error',
    'vault.unreadable',
    'service.unavailable',
    'vault.unavailable',
  ];
}

function successOf(operation: Operation): object {
  const { output, example, etag, idempotent, http } = operation;
  const schema = schemaOf(output, 'output');
  const isPaged = Object.hasOwn(output.shape, 'next_cursor');
  return {
    description: http.status === 204 ? 'Success, no content.' : operation.summary,
    headers: {
      'X-Request-Id': headerRef('XRequestId'),
      ...rateLimit,
      ...(etag && { ETag: headerRef('ETag') }),
      ...(isPaged && { Link: headerRef('Link') }),
      ...(idempotent && { 'Idempotency-Replayed': headerRef('IdempotencyReplayed') }),
      ...(canWait(operation) && { 'Preference-Applied': headerRef('PreferenceApplied') }),
    },
    ...(http.status !== 204 && { content: { 'application/json': { schema, example: example.output } } }),
  };
}

function problemResponseOf(status: number, codes: readonly FailureCode[]): object {
  const lines = codes.map((code) => `- \`${code}\`: ${failures[code].title}.`);
  return {
    description: lines.join('\n'),
    headers: {
      'X-Request-Id': headerRef('XRequestId'),
      // Without a valid key there is no quota to report.
      ...(status !== 401 && rateLimit),
      ...(status === 401 && { 'WWW-Authenticate': headerRef('WwwAuthenticate') }),
      ...(RETRY_LATER.includes(status) && { 'Retry-After': headerRef('RetryAfter') }),
    },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', properties: { status: { const: status }, code: { enum: codes } } },
          ],
        },
      },
    },
  };
}
