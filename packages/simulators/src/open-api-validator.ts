import type { Exchange } from './wire/exchange.js';

/** The required subset of Ajv, so that only tests depend on it. */
export interface SchemaCompiler {
  addSchema(schema: object, key: string): unknown;
  compile(schema: { readonly $ref: string }): {
    (value: unknown): unknown;
    errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
  };
}

export interface ObservedExchange {
  readonly method: string;
  readonly path: string;
  /** Omitted: the query is not checked. Otherwise it may contain described parameters only. */
  readonly query?: URLSearchParams;
  /** Omitted: no body was sent. For a form, its fields; a file may have any content. */
  readonly sent?: unknown;
  /** The media type of the body; default JSON. */
  readonly sentAs?: string | undefined;
  readonly status: number;
  readonly answered?: unknown;
}

/**
 * An exchange as a description knows it: below the path of the API, and with the fields of JSON in a form.
 */
export const observedExchange = ({ request, answer }: Exchange, basePath = ''): ObservedExchange => ({
  method: request.method,
  path: request.path.replace(basePath, ''),
  query: request.query,
  sent: request.body,
  status: answer.status,
  answered: answer.json,
});

type ParameterObject = { readonly in?: string; readonly name?: string; readonly $ref?: string };
type OperationObject = {
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
};
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly parameters?: Readonly<Record<string, ParameterObject>> };
}

/** The violations of a value of the schema at a pointer into the schema `described`. */
export function describedFaults(compiler: SchemaCompiler) {
  const escape = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
  const compiled = new Map<string, ReturnType<SchemaCompiler['compile']>>();
  return (pointer: readonly string[], value: unknown, what: string): readonly string[] => {
    const $ref = `described#/${pointer.map(escape).join('/')}`;
    const validate = compiled.get($ref) ?? compiler.compile({ $ref });
    compiled.set($ref, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  };
}

/**
 * Validates requests and responses against a platform's published OpenAPI description. Returns the
 * violations.
 */
export function openApiValidator(document: object, compiler: SchemaCompiler) {
  const { paths, components } = document as OpenApiDocument;
  compiler.addSchema(withNullableReferences(document) as object, 'described');
  /** A parameter may be a reference. */
  const parameterOf = (one: ParameterObject): ParameterObject | undefined =>
    one.$ref === undefined ? one : components?.parameters?.[one.$ref.split('/').at(-1) ?? ''];
  const faults = describedFaults(compiler);

  return function judge(exchange: ObservedExchange): readonly string[] {
    const { method, path, query, sent, sentAs, status, answered } = exchange;
    const template = templateOf(Object.keys(paths), path);
    const verb = method.toLowerCase();
    const operation = template === null ? undefined : paths[template]?.[verb];
    if (template === null || !operation) return [`${method} ${path} is not described`];
    const described = String(status) in operation.responses ? String(status) : 'default';
    const response = operation.responses[described];
    if (!response) return [`${method} ${path} has no described response ${status}`];
    const json = 'application/json';
    const at = ['paths', template, verb];
    const type = sentAs ?? json;
    const accepted = operation.requestBody?.content;
    if (sentAs !== undefined && accepted && !(type in accepted)) {
      return [`${method} ${path} does not accept ${type}`];
    }
    const known = (operation.parameters ?? [])
      .map(parameterOf)
      .flatMap((one) => (one?.in === 'query' ? [one.name] : []));
    const unknown = [...(query?.keys() ?? [])].filter((name) => !known.includes(name));
    return [
      ...unknown.map((name) => `${method} ${path} has no query parameter ${name}`),
      ...(sent !== undefined && accepted?.[type] !== undefined
        ? faults(
            [...at, 'requestBody', 'content', type, 'schema'],
            filesAsText(sent),
            `${method} ${path} sent `,
          )
        : []),
      ...(response.content?.[json] !== undefined
        ? faults([...at, 'responses', described, 'content', json, 'schema'], answered, `${path} answered `)
        : []),
    ];
  };
}

/**
 * OpenAPI 3.0 allows `nullable` next to a reference or without a type, where JSON Schema has no such keyword.
 */
function withNullableReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNullableReferences);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, withNullableReferences(value)]),
  );
  if (nullable === undefined) return rest;
  if (nullable !== true || 'type' in rest) return { ...rest, nullable };
  return { anyOf: [rest, { type: 'null' }] };
}

/** A description declares files as strings; their bytes are not validated. */
const filesAsText = (sent: unknown): unknown =>
  typeof sent === 'object' && sent !== null && !Array.isArray(sent)
    ? Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, isFile(value) ? '' : value]))
    : sent;

const isFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;

/** The matching described path with the fewest parameters. */
function templateOf(templates: readonly string[], path: string): string | null {
  const parts = path.split('/');
  const fitting = templates
    .filter((template) => {
      const requested = template.split('/');
      return (
        requested.length === parts.length &&
        requested.every((part, at) => /^\{.+\}$/.test(part) || part === parts[at])
      );
    })
    .sort((one, other) => one.split('{').length - other.split('{').length);
  return fitting[0] ?? null;
}
