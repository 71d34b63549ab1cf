/** As much of Ajv as is needed, so that only tests depend on it. */
export interface SchemaCompiler {
  addSchema(schema: object, key: string): unknown;
  compile(schema: { readonly $ref: string }): {
    (value: unknown): unknown;
    errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
  };
}

export interface JudgedExchange {
  readonly method: string;
  readonly path: string;
  /** Left out: no body was sent. */
  readonly sent?: unknown;
  readonly status: number;
  readonly answered?: unknown;
}

type Operation = {
  readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
};
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Judges requests and answers by a platform's published OpenAPI description. What it answers is what is wrong. */
export function openApiJudge(document: object, compiler: SchemaCompiler) {
  const { paths } = document as Document;
  compiler.addSchema(document, 'described');
  const escape = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
  const compiled = new Map<string, ReturnType<SchemaCompiler['compile']>>();

  function faults(pointer: readonly string[], value: unknown, what: string): string[] {
    const $ref = `described#/${pointer.map(escape).join('/')}`;
    const validate = compiled.get($ref) ?? compiler.compile({ $ref });
    compiled.set($ref, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  }

  return function judge({ method, path, sent, status, answered }: JudgedExchange): readonly string[] {
    const template = templateOf(Object.keys(paths), path);
    const verb = method.toLowerCase();
    const operation = template === null ? undefined : paths[template]?.[verb];
    if (template === null || !operation) return [`${method} ${path} is not described`];
    const response = operation.responses[String(status)];
    if (!response) return [`${method} ${path} is not described as answering ${status}`];
    const json = 'application/json';
    const at = ['paths', template, verb];
    return [
      ...(sent !== undefined && operation.requestBody?.content?.[json] !== undefined
        ? faults([...at, 'requestBody', 'content', json, 'schema'], sent, `${method} ${path} sent `)
        : []),
      ...(response.content?.[json] !== undefined
        ? faults(
            [...at, 'responses', String(status), 'content', json, 'schema'],
            answered,
            `${path} answered `,
          )
        : []),
    ];
  };
}

/** The described path that fits with the fewest parameters. */
function templateOf(templates: readonly string[], path: string): string | null {
  const parts = path.split('/');
  const fitting = templates
    .filter((template) => {
      const wanted = template.split('/');
      return (
        wanted.length === parts.length &&
        wanted.every((part, at) => /^\{.+\}$/.test(part) || part === parts[at])
      );
    })
    .sort((one, other) => one.split('{').length - other.split('{').length);
  return fitting[0] ?? null;
}
