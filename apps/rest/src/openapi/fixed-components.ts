const text = { type: 'string' } as const;

/** The components that no operation defines. */
export const fixedComponents = {
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'swb_…',
      description: 'An API key of the workspace. It may have scopes and limits.',
    },
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'A unique value per intended operation, chosen by the client. The same key with the same request returns the stored response of the first and executes once; stored for 72 hours.',
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
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of the version you have: the response is 304 while the resource is unchanged.',
      schema: text,
      example: '"3"',
    },
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      description:
        'The `ETag` of the version you read: the update is rejected with 412 when the resource has changed.',
      schema: text,
      example: '"3"',
    },
  },
  headers: {
    XRequestId: { description: 'Identifies this request in the service’s log.', schema: text },
    ETag: { description: 'Version of the resource, for `If-Match`.', schema: text },
    Link: { description: 'The next page, `rel="next"`; absent on the last one.', schema: text },
    Replayed: {
      description:
        '`true` when this is the stored response of an earlier request with the same `Idempotency-Key`.',
      schema: { type: 'string', enum: ['true'] },
    },
    PreferenceApplied: {
      description:
        '`Prefer: wait` was applied. Absent when 100 requests of the workspace are already waiting: the response is then returned immediately.',
      schema: text,
    },
    Quotas: {
      description:
        'The request quotas: `key` for the key with its lineage, ancestors and descendants, `workspace` for all keys of the workspace. `q` requests in `w` seconds, on all interfaces together.',
      schema: { ...text, example: '"key";q=600;w=60, "workspace";q=6000;w=60' },
    },
    RateLimit: {
      description:
        'Remaining quota: `r` requests, and `t` seconds until the window ends. A rejected request lists the exhausted quota only.',
      schema: { ...text, example: '"key";r=584;t=41, "workspace";r=5710;t=41' },
    },
    RetryAfter: {
      description: 'Seconds to wait before a retry, when known.',
      schema: { type: 'integer', minimum: 0 },
    },
    WwwAuthenticate: { description: 'Always `Bearer`.', schema: text },
  },
  responses: {
    received: { description: 'Received. Any other status is a failure, and the message is sent again.' },
    204: { description: 'Success, no content.' },
    304: {
      description: 'Unchanged since the version named in `If-None-Match`.',
      headers: {
        ETag: { $ref: '#/components/headers/ETag' },
        'Preference-Applied': { $ref: '#/components/headers/PreferenceApplied' },
      },
    },
  },
} as const;

export const headerRef = (name: keyof typeof fixedComponents.headers) => ({
  $ref: `#/components/headers/${name}`,
});
export const parameterRef = (name: keyof typeof fixedComponents.parameters) => ({
  $ref: `#/components/parameters/${name}`,
});
export const rateLimitHeaderRefs = {
  'RateLimit-Policy': headerRef('Quotas'),
  RateLimit: headerRef('RateLimit'),
};
