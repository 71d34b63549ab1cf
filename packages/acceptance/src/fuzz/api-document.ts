import { asObject, type JsonObject } from '../support/json.js';

/** A JSON Schema; references are resolved with `resolveSchema`. */
export type JsonSchema = JsonObject;

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ApiResponse {
  readonly description: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, JsonSchema>;
  /** By media type. */
  readonly content: ReadonlyMap<string, JsonSchema>;
}

export interface ApiOperation {
  readonly id: string;
  readonly method: string;
  /** With `{name}` for each parameter. */
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  /** By media type; empty when the operation takes no body. */
  readonly bodies: ReadonlyMap<string, JsonSchema>;
  /** The document's example of a JSON body. */
  readonly bodyExample: JsonObject | null;
  readonly responses: ReadonlyMap<number, ApiResponse>;
}

/** The OpenAPI document of a service, with its operations in the document's order. */
export interface ApiDocument {
  readonly json: JsonObject;
  readonly operations: readonly ApiOperation[];
  /** The methods of a path and of the templates that it matches, in upper case. */
  readonly methodsOf: (path: string) => readonly string[];
}

export function readApiDocument(json: JsonObject): ApiDocument {
  const paths = Object.entries(asObject(json['paths']));
  const operations = paths.flatMap(([path, item]) =>
    Object.entries(asObject(item)).map(([method, described]) =>
      readOperation(json, path, method, asObject(described)),
    ),
  );
  return {
    json,
    operations,
    methodsOf: (path) =>
      operations.filter((one) => matchesTemplate(path, one.path)).map(({ method }) => method),
  };
}

function matchesTemplate(path: string, template: string): boolean {
  const [segments, templates] = [path.split('/'), template.split('/')];
  return (
    segments.length === templates.length &&
    segments.every((segment, index) => segment === templates[index] || templates[index]?.startsWith('{'))
  );
}

function readOperation(
  document: JsonObject,
  path: string,
  method: string,
  described: JsonObject,
): ApiOperation {
  const parameters = (described['parameters'] as readonly JsonObject[]).map(
    (parameter) => resolveSchema(document, parameter) as unknown as ApiParameter,
  );
  const responses = Object.entries(asObject(described['responses'])).map(([status, response]) => {
    const { description, headers, content } = resolveSchema(document, asObject(response));
    return [
      Number(status),
      {
        description: String(description),
        headers: new Map(
          Object.entries(asObject(headers ?? {})).map(([name, header]) => [
            name.toLowerCase(),
            asObject(resolveSchema(document, asObject(header))['schema']),
          ]),
        ),
        content: readContent(content),
      },
    ] as const;
  });
  const content = asObject(asObject(described['requestBody'] ?? {})['content'] ?? {});
  const { example } = asObject(content['application/json'] ?? {});
  return {
    id: String(described['operationId']),
    method: method.toUpperCase(),
    path,
    parameters,
    bodies: readContent(content),
    bodyExample: example === undefined ? null : asObject(example),
    responses: new Map(responses),
  };
}

const readContent = (content: unknown): ReadonlyMap<string, JsonSchema> =>
  new Map(
    Object.entries(asObject(content ?? {})).map(([type, media]) => [
      type,
      asObject(asObject(media)['schema']),
    ]),
  );

/** Follows `$ref`; what is written beside it takes precedence, as OpenAPI 3.1 defines. */
export function resolveSchema(document: JsonObject, node: JsonObject): JsonObject {
  const { $ref, ...beside } = node;
  if (typeof $ref !== 'string') return node;
  let target: unknown = document;
  for (const step of $ref.replace(/^#\//, '').split('/')) target = asObject(target)[step];
  return { ...resolveSchema(document, asObject(target)), ...beside };
}
