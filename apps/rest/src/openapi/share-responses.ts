import type { DescribedOperation } from './describe-operation.js';

interface Response {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
}

/**
 * Replaces each response that several operations have in the same form by a reference, and returns the responses by
 * name: that of the schema and what its headers allow, `Profile` and `ProfileReplayed`.
 */
export function shareResponses(
  paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>,
): Record<string, object> {
  const occurrences = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, response]) =>
        '$ref' in response ? [] : [{ responses, status, response }],
      ),
    ),
  );
  const shared: Record<string, object> = {};
  for (const [, same] of Map.groupBy(occurrences, ({ response }) => JSON.stringify(response))) {
    const [first] = same;
    const name = first && nameOf(first.response);
    if (!first || !name || same.length === 1 || name in shared) continue;
    shared[name] = first.response;
    for (const { responses, status } of same) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return shared;
}

/** Null for a schema without a name. */
function nameOf({ headers = {}, content = {} }: Response): string | null {
  const schema = content['application/json']?.schema.$ref?.replace(/^.*\//, '');
  if (schema === undefined) return null;
  return [
    schema,
    'Idempotency-Replayed' in headers && 'Replayed',
    'Preference-Applied' in headers && 'Waited',
  ]
    .filter((part) => part !== false)
    .join('');
}
