import type { Operation } from '@switchboard/operations';
import { ComponentWriter } from './openapi/component-writer.js';
import { describeOperation, type DescribedOperation } from './openapi/describe-operation.js';
import { describeWebhooks } from './openapi/describe-webhooks.js';
import { shareParameters } from './openapi/share-parameters.js';
import { shareResponses } from './openapi/share-responses.js';
import { areaOf, tagsOf } from './openapi/tags.js';
import { openApiPath } from './openapi/open-api-path.js';

const description = `One API for social accounts and online stores: connect accounts, publish and schedule posts, read
analytics, list orders and refund them.

- **Keys.** Send \`Authorization: Bearer swb_…\`. Each operation names the scope that it requires.
- **Failures** are RFC 9457 problem details. \`code\` identifies the failure, \`effect\` states whether anything changed, \`who_can_fix\`
  names who can fix it, and \`next\` is a call that is ready to send. All codes: [/docs/errors](/docs/errors).
- **Lists** accept \`limit\` and \`cursor\` and return \`next_cursor\`, null at the end.
- **Retries.** Send an \`Idempotency-Key\` with every POST: repeating the request with the same key executes it once.
- **Headers** of every response, also of a successful one: \`X-Request-Id\`, and with a valid key \`RateLimit\` and \`RateLimit-Policy\`.
- **Times** are RFC 3339 in UTC. **Money** is a decimal string with its currency. Unknown fields are rejected.`;

/** The OpenAPI 3.1 description of the operations over HTTP, generated from them so that it always matches. */
export function describeApi(
  catalog: readonly Operation[],
  { version, publicUrl = 'http://127.0.0.1:3000' }: { readonly version: string; readonly publicUrl?: string },
): object {
  const writer = new ComponentWriter();
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const operation of catalog) {
    const { aliases = [], ...main } = operation.http;
    for (const route of [{ ...main, name: operation.name }, ...aliases]) {
      const item = (paths[`/v1${openApiPath(route.path)}`] ??= {});
      item[route.method] = describeOperation(operation, route, writer);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchboard',
      version,
      summary: 'Social and commerce integration, self-hosted.',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl, description: 'This installation' }],
    security: [{ apiKey: [] }],
    tags: tagsOf(catalog.map(areaOf)),
    paths,
    webhooks: describeWebhooks(writer),
    components: writer.components(shareParameters(paths), shareResponses(paths)),
  };
}
