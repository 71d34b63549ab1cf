import { canWait, type Operation } from '@switchboard/operations';
import { z } from 'zod';
import type { ComponentWriter, Schema } from './component-writer.js';
import { parameterRef } from './fixed-components.js';
import { pathParameters } from './open-api-path.js';
import { responsesOf } from './responses.js';
import { inRestTerms } from './rest-terms.js';
import { areaOf } from './tags.js';

/** One of the routes of an operation; each has an id of its own. */
interface NamedRoute {
  readonly name: string;
  readonly method: Operation['http']['method'];
  readonly path: string;
}

export interface DescribedOperation {
  readonly parameters: object[];
  readonly responses: Record<string, object>;
}

/** GET and DELETE take every parameter in the URL; the others send everything outside of the path as JSON. */
const takesUrlParametersOnly = (method: NamedRoute['method']) => method === 'get' || method === 'delete';

export function describeOperation(
  operation: Operation,
  { name, method, path }: NamedRoute,
  writer: ComponentWriter,
): DescribedOperation & Record<string, unknown> {
  const inPath = pathParameters(path);
  const others = Object.keys(operation.input.shape).filter((name) => !inPath.includes(name));
  const hasBody = !takesUrlParametersOnly(method) && others.length > 0;
  const isConditional = operation.failures.includes('request.precondition_failed');
  return {
    operationId: name,
    summary: inRestTerms(operation.summary),
    description: descriptionOf(operation),
    tags: [areaOf(operation)],
    parameters: [
      ...urlParameters(operation, inPath, takesUrlParametersOnly(method) ? others : [], writer),
      ...(operation.idempotent && method === 'post' ? [parameterRef('IdempotencyKey')] : []),
      ...(canWait(operation) ? [parameterRef('Prefer')] : []),
      ...(isConditional ? [parameterRef('IfMatch')] : []),
      ...(method === 'get' && operation.etag ? [parameterRef('IfNoneMatch')] : []),
    ],
    ...(hasBody && { requestBody: bodyOf(operation, inPath, writer) }),
    responses: responsesOf(operation, method, writer),
  };
}

function descriptionOf({ guidance, scope }: Operation): string {
  return [
    inRestTerms(guidance),
    scope === 'any' ? 'Any valid key may call it.' : `Scope: \`${scope}\`.`,
  ].join('\n\n');
}

function urlParameters(
  operation: Operation,
  inPath: readonly string[],
  inQuery: readonly string[],
  writer: ComponentWriter,
): object[] {
  const { properties, required } = writer.fieldsOf(operation.input);
  const parameterOf = (place: 'path' | 'query') => (name: string) =>
    parameter(operation, place, name, properties[name] ?? {}, required.includes(name));
  return [...inPath.map(parameterOf('path')), ...inQuery.map(parameterOf('query'))];
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
    ...((required || place === 'path') && { required: true }),
    ...(typeof description === 'string' && { description }),
    schema,
    ...(schema['type'] === 'array' && { style: 'form', explode: false }),
    ...(schema['type'] === 'object' && { style: 'deepObject', explode: true }),
    ...(example !== undefined && example !== schema['default'] && { example }),
  };
}

function bodyOf(operation: Operation, inPath: readonly string[], writer: ComponentWriter): object {
  if (operation.body === 'stream') return fileOrUrlBody(operation, writer);
  const withoutPath = Object.entries(operation.input.shape).filter(([name]) => !inPath.includes(name));
  const input = inPath.length === 0 ? operation.input : z.strictObject(Object.fromEntries(withoutPath));
  const { required } = writer.fieldsOf(input);
  const example = Object.entries(operation.example.input).filter(([name]) => !inPath.includes(name));
  return {
    ...(required.length > 0 && { required: true }),
    content: {
      'application/json': { schema: writer.schemaOf(input, 'input'), example: Object.fromEntries(example) },
    },
  };
}

/** Such an operation accepts a file in one content type, and a URL in the other. */
function fileOrUrlBody({ input, example }: Operation, writer: ComponentWriter): object {
  const { file = {}, url = {}, ...both } = writer.fieldsOf(input).properties;
  const object = (properties: Record<string, Schema>, required: string) => ({
    type: 'object',
    properties,
    required: [required],
    additionalProperties: false,
  });
  return {
    required: true,
    content: {
      'multipart/form-data': { schema: object({ file, ...both }, 'file') },
      'application/json': { schema: object({ url, ...both }, 'url'), example: example.input },
    },
  };
}
