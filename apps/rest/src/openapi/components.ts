import { problemDetailsSchema } from '@switchboard/operations';
import { schemaOf } from './schema-of.js';

const text = { type: 'string' } as const;

/** What many operations share, referred to by name. */
export const components = {
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'swb_…',
      description: 'An API key of the workspace, the same on REST and on MCP.',
    },
  },
  schemas: { Problem: schemaOf(problemDetailsSchema, 'output') },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Any text of yours that is new for each intent. The same key with the same request answers what the first one answered and acts once; kept for 72 hours.',
      schema: { type: 'string', pattern: '^[\\x20-\\x7e]{1,255}$' },
      example: 'order-7312-refund-1',
    },
    Prefer: {
      name: 'Prefer',
      in: 'header',
      description: '`wait=N` waits up to N seconds (at most 30) until the outcome is known.',
      schema: { type: 'string', pattern: '^wait=\\d{1,2}$' },
      example: 'wait=10',
    },
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      description:
        'The `ETag` of what you have read: the change is refused with 412 when it has changed since.',
      schema: text,
      example: '"3"',
    },
  },
  headers: {
    XRequestId: { description: 'Names this request in the service’s log.', schema: text },
    ETag: { description: 'The version of what was answered, for `If-Match`.', schema: text },
    Link: { description: 'The next page, `rel="next"`; absent on the last one.', schema: text },
    IdempotencyReplayed: {
      description:
        '`true` when this is the kept answer of an earlier request with the same `Idempotency-Key`.',
      schema: { type: 'string', enum: ['true'] },
    },
    PreferenceApplied: {
      description:
        'Says that `Prefer: wait` was followed. Absent where 100 requests of the workspace wait already: the response is then given without waiting.',
      schema: text,
    },
    RateLimitPolicy: {
      description:
        'The request quotas: `key` for the key with its lineage, ancestors and descendants, `workspace` for all keys of the workspace. `q` requests in `w` seconds, over REST and MCP together.',
      schema: { ...text, example: '"key";q=600;w=60, "workspace";q=6000;w=60' },
    },
    RateLimit: {
      description:
        'What is left of each: `r` requests, and `t` seconds until its window ends. A refused request names the exhausted quota alone.',
      schema: { ...text, example: '"key";r=584;t=41, "workspace";r=5710;t=41' },
    },
    RetryAfter: {
      description: 'Seconds until it is worth asking again, where that is known.',
      schema: { type: 'integer', minimum: 0 },
    },
    WwwAuthenticate: { description: 'Always `Bearer`.', schema: text },
  },
} as const;

export const headerRef = (name: keyof typeof components.headers) => ({
  $ref: `#/components/headers/${name}`,
});
export const parameterRef = (name: keyof typeof components.parameters) => ({
  $ref: `#/components/parameters/${name}`,
});
