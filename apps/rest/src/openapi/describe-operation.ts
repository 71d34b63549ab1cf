import { canWait, type Operation } from '@switchboard/operations';
import { parameterRef } from './components.js';
import { pathParameters } from './open-api-path.js';
import { responsesOf } from './responses.js';
import { schemaOf } from './schema-of.js';
import { areaOf } from './tags.js';

type Schema = Record<string, unknown>;
type Route = Pick<Operation['http'], 'method' | 'path'>;

/** GET and DELETE take every parameter in the URL; the others send everything outside of the path as JSON. */
const takesUrlParametersOnly = (method: Route['method']) => method === 'get' || method === 'delete';

/** One operation on one of its routes. */
export function describeOperation(
  operation: Operation,
  { method, path }: Route,
  operationId: string,
): object {
  const { properties, required } = fieldsOf(operation);
  const inPath = pathParameters(path);
  const others = Object.keys(properties).filter((name) => !inPath.includes(name));
  const body = takesUrlParametersOnly(method) || others.length === 0 ? null : bodyOf(operation, others);
  return {
    operationId,
    summary: operation.summary,
    description: descriptionOf(operation),
    tags: [areaOf(operation)],
    parameters: [
      ...inPath.map((name) => parameter(operation, 'path', name, properties[name] ?? {}, true)),
      ...(takesUrlParametersOnly(method) ? others : []).map((name) =>
        parameter(operation, 'query', name, properties[name] ?? {}, required.has(name)),
      ),
      ...(operation.idempotent ? [parameterRef('IdempotencyKey')] : []),
      ...(canWait(operation) ? [parameterRef('Prefer')] : []),
      ...(operation.failures.includes('request.precondition_failed') ? [parameterRef('IfMatch')] : []),
    ],
    ...(body && { requestBody: body }),
    responses: responsesOf(operation, body !== null),
  };
}

function descriptionOf({ guidance, scope, tool }: Operation): string {
  return [
    guidance,
    scope === 'any' ? 'Any valid key may call it.' : `Scope: \`${scope}\`.`,
    ...(tool === null ? [] : [`MCP tool: \`${tool}\`.`]),
  ].join('\n\n');
}

function fieldsOf(operation: Operation): {
  properties: Readonly<Record<string, Schema>>;
  required: ReadonlySet<string>;
} {
  const schema = schemaOf(operation.input, 'input');
  return {
    properties: (schema['properties'] ?? {}) as Record<string, Schema>,
    required: new Set((schema['required'] ?? []) as string[]),
  };
}

function parameter(
  operation: Operation,
  place: 'path' | 'query',
  name: string,
  { description, examples, ...schema }: Schema,
  required: boolean,
): object {
  const [example = undefined] = [
    operation.example.input[name],
    ...((examples as unknown[] | undefined) ?? []),
  ].filter((value) => value !== undefined);
  return {
    name,
    in: place,
    required,
    ...(typeof description === 'string' && { description }),
    schema,
    ...(schema['type'] === 'array' && { style: 'form', explode: false }),
    ...(schema['type'] === 'object' && { style: 'deepObject', explode: true }),
    ...(example !== undefined && { example }),
  };
}

function bodyOf(operation: Operation, names: readonly string[]): object {
  const { required: all = [], ...schema } = schemaOf(operation.input, 'input');
  const pick = (source: unknown) =>
    Object.fromEntries(
      Object.entries((source ?? {}) as Record<string, unknown>).filter(([name]) => names.includes(name)),
    );
  const required = (all as string[]).filter((name) => names.includes(name));
  if (operation.body === 'stream')
    return fileOrUrlBody(operation, schema['properties'] as Record<string, Schema>);
  return {
    required: required.length > 0,
    content: {
      'application/json': {
        schema: {
          ...schema,
          properties: pick(schema['properties']),
          ...(required.length > 0 && { required }),
        },
        example: pick(operation.example.input),
      },
    },
  };
}

/** Such an operation accepts a file in one content type, and a URL in the other. */
function fileOrUrlBody({ example }: Operation, { file, url, ...both }: Record<string, Schema>): object {
  const object = (properties: Record<string, Schema>, required: string) => ({
    type: 'object',
    properties,
    required: [required],
    additionalProperties: false,
  });
  return {
    required: true,
    content: {
      'multipart/form-data': { schema: object({ file: file ?? {}, ...both }, 'file') },
      'application/json': { schema: object({ url: url ?? {}, ...both }, 'url'), example: example.input },
    },
  };
}
