import type { Operation } from '@switchboard/operations';
import { components } from './openapi/components.js';
import { describeOperation } from './openapi/describe-operation.js';
import { areaOf, tagsOf } from './openapi/tags.js';
import { openApiPath } from './openapi/open-api-path.js';

/** The version of the interface, not of the software: it changes when callers have to know. */
const INTERFACE_VERSION = '1.0.0';

const description = `One API for connected social accounts and online stores: connect accounts, publish and schedule posts, read
analytics, list orders and refund them. Most operations are MCP tools too, with
the same keys, scopes and failures.

- **Keys.** Send \`Authorization: Bearer swb_…\`. Each operation names the scope that it requires.
- **Failures** are RFC 9457 problem details. \`code\` identifies the failure, \`effect\` states whether anything changed, \`who_can_fix\`
  names who can fix it, and \`next\` is a call that is ready to send. All codes: [/docs/errors](/docs/errors).
- **Lists** accept \`limit\` and \`cursor\` and return \`next_cursor\`, null at the end.
- **Retries.** Send an \`Idempotency-Key\` with every POST: repeating the request with the same key executes it once.
- **Times** are RFC 3339 in UTC. **Money** is a decimal string with its currency. Unknown fields are rejected.`;

/** The OpenAPI 3.1 description of the operations over HTTP, generated from them so that it always matches. */
export function describeApi(
  catalog: readonly Operation[],
  { publicUrl = 'http://127.0.0.1:3000' }: { readonly publicUrl?: string | undefined } = {},
): object {
  const operations = catalog.filter(({ surfaces }) => surfaces.includes('rest'));
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const { aliases = [], ...main } = operation.http;
    for (const [index, { method, path }] of [main, ...aliases].entries()) {
      const operationId = index === 0 ? operation.name : `${operation.name}_${method}`;
      const item = (paths[`/v1${openApiPath(path)}`] ??= {});
      item[method] = describeOperation(operation, { method, path }, operationId);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchboard',
      version: INTERFACE_VERSION,
      summary: 'Social and commerce integration, self-hosted.',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl, description: 'This installation' }],
    security: [{ apiKey: [] }],
    tags: tagsOf(operations.map(areaOf)),
    paths,
    components,
  };
}
