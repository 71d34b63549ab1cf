import { inputKinds, type Operation, problemDetailsSchema } from '@switchboard/operations';
import { z } from 'zod';
import { untrustedContentNotice } from './untrusted-content-notice.js';
import { mcpFieldsOf } from './arguments.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface BoundTool {
  readonly tool: Tool;
  readonly operation: Operation;
}

export interface NamedPlatform {
  readonly id: string;
  readonly kind: 'social' | 'commerce';
}

/** The tools of a catalog in its order, derived once; operations that are served on REST only have none. */
export const deriveTools = (
  catalog: readonly Operation[],
  platforms: readonly NamedPlatform[],
): readonly BoundTool[] =>
  catalog.flatMap((operation) =>
    operation.tool === null ? [] : [{ operation, tool: deriveTool(operation.tool, operation, platforms) }],
  );

const deriveTool = (name: string, operation: Operation, platforms: readonly NamedPlatform[]) => ({
  name,
  title: (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' '),
  description: [
    operation.summary,
    operation.guidance,
    ...untrustedContentNotice(operation),
    ...exampleOf(operation),
  ].join('\n'),
  inputSchema: inputSchemaOf(operation, platforms),
  outputSchema: outputSchemaOf(operation),
  annotations: annotationsOf(operation),
});

export type Tool = ReturnType<typeof deriveTool>;

const exampleOf = ({ toolExample }: Operation): readonly string[] =>
  toolExample === null ? [] : [`Example: ${JSON.stringify(toolExample)}`];

const nextCallFields = /^(?:id|(?!profile|external).+_ids?|url|data|valid)$/;
const problemFields = fieldsOf(problemDetailsSchema);

/**
 * The fields of a response that a next call needs (ids, links, the list), one level deep: the rest is in the
 * response itself, and output schemas would otherwise dominate the size of `tools/list`. Clients validate
 * failures against it too, so nothing is required, and a field that a failure also has is omitted.
 */
function outputSchemaOf({ output }: Operation): JsonObject {
  const named = Object.entries(fieldsOf(output)).flatMap(([name, { type }]) =>
    typeof type === 'string' && nextCallFields.test(name) && !(name in problemFields)
      ? [[name, { type }]]
      : [],
  );
  return { type: 'object', properties: Object.fromEntries(named) };
}

function fieldsOf(schema: z.ZodObject): Readonly<Record<string, JsonObject>> {
  const { properties } = z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12' });
  return (properties ?? {}) as Record<string, JsonObject>;
}

/** Changes of posts, accounts or refunds reach a platform, immediately or later. */
const platformWriteScopes: readonly Operation['scope'][] = [
  'connections:write',
  'posts:write',
  'refunds:write',
];

/**
 * The hints by which a client decides whether a model may call a tool; MCP defines the fields. All four, always:
 * a client assumes the worst for an absent hint.
 */
const annotationsOf = ({ effect, boundary, staysLocal, scope, http }: Operation) => ({
  readOnlyHint: effect === 'read',
  // Everything beyond adding: existing data is replaced, canceled or deleted.
  destructiveHint: effect === 'delete' || effect === 'irreversible' || isDestructive(http),
  // Creating twice makes two; an `idempotency_key` makes it one, which a hint cannot express.
  idempotentHint: effect !== 'create' && effect !== 'irreversible',
  // A staged use case may call a platform while it runs.
  openWorldHint:
    !staysLocal && (boundary === 'staged' || (effect !== 'read' && platformWriteScopes.includes(scope))),
});

const isDestructive = ({ method, aliases = [] }: Operation['http']): boolean =>
  [method, ...aliases.map((route) => route.method)].some((one) => ['patch', 'put', 'delete'].includes(one));

/**
 * The flat schema of a tool's arguments: the fields of the operation and those that MCP adds. It does not
 * declare that other fields are rejected, because the function declarations of some models have no such
 * keyword.
 */
function inputSchemaOf(operation: Operation, platforms: readonly NamedPlatform[]): JsonObject {
  const schema = z.object({ ...operation.mcpInput.shape, ...mcpFieldsOf(operation) });
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override({ zodSchema, jsonSchema, path }) {
      const isNested = path.length > PROPERTY_DEPTH;
      // A nested id is described by its name.
      if (isNested && inputKinds.get(zodSchema) !== undefined) delete jsonSchema.description;
      dropRedundantKeywords(jsonSchema);
    },
  });
  // The tool that creates a resource describes the items of its lists.
  dropItemProperties(rest, operation.effect === 'update' ? 0 : 1);
  listPlatforms(rest['properties'] as Record<string, Writable>, operation, platforms);
  return rest;
}

/** Lists in lists have the names of lists beside them (`media`), which describe their items. */
function dropItemProperties(schema: Writable, depth: number): void {
  if (depth < 0) delete schema.properties;
  for (const field of Object.values(schema.properties ?? {})) dropItemProperties(field as Writable, depth);
  for (const option of schema.anyOf ?? []) dropItemProperties(option, depth);
  if (schema.items) dropItemProperties(schema.items as Writable, depth - 1);
}

/** The length of the path of a field: `properties`, and its name. */
const PROPERTY_DEPTH = 2;

type Writable = z.core.JSONSchema.BaseSchema;

/**
 * Lists the platforms that fit the tool, once, where it asks for one. An update and a validation take those of the
 * creation.
 */
function listPlatforms(
  properties: Record<string, Writable>,
  { toolset, mcpInput, http, effect }: Operation,
  platforms: readonly NamedPlatform[],
): void {
  if (http.method === 'patch' || (http.method === 'post' && effect === 'read')) return;
  const kind = toolset === 'social' || toolset === 'commerce' ? toolset : null;
  const ids = platforms.filter((platform) => (kind ?? platform.kind) === platform.kind).map(({ id }) => id);
  const name = Object.keys(mcpInput.shape).find((field) =>
    asksForPlatform(mcpInput.shape[field] as z.core.$ZodType),
  );
  const field = name === undefined ? undefined : properties[name];
  if (field) field.description = `${field.description?.replace(/\.$/, '') ?? ''}: ${ids.join(', ')}.`;
}

/** Whether a field is the id of a platform, or contains one. */
function asksForPlatform(schema: z.core.$ZodType | undefined): boolean {
  if (schema === undefined) return false;
  const { def } = schema._zod;
  if (schema instanceof z.ZodUnion) return schema.options.some(asksForPlatform);
  if (schema instanceof z.ZodObject) return 'platform' in schema.shape;
  if (schema instanceof z.ZodArray) return asksForPlatform(schema.element);
  return (
    inputKinds.get(schema)?.kind === 'platform' ||
    ('innerType' in def && asksForPlatform(def.innerType as z.core.$ZodType))
  );
}

/**
 * A model reads every byte of the schema, so redundant keywords are removed: what a format, a description or
 * a name already says, that texts and lists are not empty, and bounds that no caller reaches. Dispatch still
 * checks all of them.
 */
function dropRedundantKeywords(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.pattern;
  delete schema.examples;
  // The function declarations of some models have no `const`.
  if (schema.const !== undefined) {
    schema.enum = [schema.const];
    delete schema.const;
  }
  delete schema.additionalProperties;
  // A field called url or link implies it, and the schema dialects of some models do not support the format.
  if (schema.format === 'uri') delete schema.format;
  if (schema.format === 'date-time' && schema.description !== undefined) delete schema.format;
  delete schema.maxLength;
  if (schema.minItems === 1) delete schema.minItems;
  if ((schema.maxItems ?? 0) >= 30 || isEnumItem(schema.items)) delete schema.maxItems;
  delete schema.minLength;
  delete schema.propertyNames;
  if (schema.default === false) delete schema.default;
  if ((schema.minimum ?? 1) <= 1) delete schema.minimum;
  if ((schema.maximum ?? 0) >= 10_000) delete schema.maximum;
  foldNull(schema);
  foldText(schema);
}

/** A value that may be text is text: a model needs no second form of it. */
function foldText(schema: z.core.JSONSchema.BaseSchema): void {
  const types = schema.anyOf?.map((option) => (typeof option === 'object' ? option.type : undefined)) ?? [];
  if (!types.includes('string') || types.some((type) => type !== 'string' && type !== 'object')) return;
  delete schema.anyOf;
  schema.type = 'string';
}

const isEnumItem = (items: unknown) => typeof items === 'object' && items !== null && 'enum' in items;

/** "This type, or null" in half the length. */
function foldNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [one, other, ...more] = schema.anyOf ?? [];
  if (typeof one !== 'object' || typeof other !== 'object' || more.length > 0) return;
  if (typeof one.type !== 'string' || other.type !== 'null' || one.enum !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, { ...one, ...schema, type: [one.type, 'null'] });
}
