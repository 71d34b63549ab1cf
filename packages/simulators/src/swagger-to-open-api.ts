/** A description before OpenAPI 3: bodies are parameters, and response schemas have no media type. */
interface SwaggerDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, SwaggerOperation>>>>;
}
interface SwaggerOperation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema?: unknown }[];
  readonly responses: Readonly<Record<string, { readonly schema?: unknown }>>;
}

const JSON_TYPE = 'application/json';

/**
 * The equivalent OpenAPI 3 description, as far as JSON validation requires. References still point to
 * `definitions`.
 */
export function swaggerToOpenApi(swagger: object): object {
  const { paths } = swagger as SwaggerDocument;
  const each = <From, To>(some: Readonly<Record<string, From>>, change: (one: From) => To) =>
    Object.fromEntries(Object.entries(some).map(([name, one]) => [name, change(one)]));
  const content = (schema: unknown) => (schema === undefined ? {} : { content: { [JSON_TYPE]: { schema } } });
  return {
    ...swagger,
    paths: each(paths, (operations) =>
      each(operations, ({ parameters = [], responses }) => {
        const body = parameters.find((one) => one.in === 'body');
        return {
          parameters: parameters.filter((one) => one !== body),
          ...(body && { requestBody: content(body.schema) }),
          responses: each(responses, ({ schema }) => content(schema)),
        };
      }),
    ),
  };
}
