import type { Operation } from '@switchboard/operations';
import { z } from 'zod';
import { mcpFieldsOf } from './arguments.js';
import type { JsonObject } from './tool.js';

/** The strict, flat schema of a tool's arguments: the operation's own fields and what MCP adds to them. */
export function inputSchemaOf(operation: Operation): JsonObject {
  const schema = jsonSchemaOf(operation.mcpInput);
  const mcpFields = jsonSchemaOf(z.object(mcpFieldsOf(operation)));
  return {
    ...schema,
    properties: { ...(schema['properties'] as JsonObject), ...(mcpFields['properties'] as JsonObject) },
  };
}

function jsonSchemaOf(schema: z.ZodObject): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema, path }) => dropRedundantKeywords(jsonSchema, path.length === 0),
  });
  return rest;
}

/**
 * A model reads every byte of this, so what tells it nothing goes: what a format, a description or a name says already, that
 * text and lists are not empty, bounds that nobody reaches. Dispatch still checks all of it.
 */
function dropRedundantKeywords(schema: z.core.JSONSchema.BaseSchema, isRoot: boolean): void {
  if (schema.format !== undefined || schema.description !== undefined || schema.examples !== undefined) {
    delete schema.pattern;
  }
  if (schema.format !== undefined || schema.description !== undefined) delete schema.examples;
  if (schema.const !== undefined) delete schema.type;
  // Said once for the whole: that the objects in it are as strict is no surprise.
  if (!isRoot && schema.additionalProperties === false) delete schema.additionalProperties;
  if (isEmptyObject(schema.additionalProperties)) delete schema.additionalProperties;
  // A field called url or link says as much, and some models' dialects know no such format.
  if (schema.format === 'uri') delete schema.format;
  delete schema.maxLength;
  if (schema.minItems === 1) delete schema.minItems;
  if ((schema.maxItems ?? 0) >= 30 || isEnumItem(schema.items)) delete schema.maxItems;
  if (schema.minLength === 1) delete schema.minLength;
  delete schema.propertyNames;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.examples?.every((example) => typeof example === 'string' && idPattern.test(example))) {
    delete schema.examples;
  }
  foldNull(schema);
}

const isEnumItem = (items: unknown) => typeof items === 'object' && items !== null && 'enum' in items;

const isEmptyObject = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** "This, or null" in half the words. */
function foldNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [one, other, ...more] = schema.anyOf ?? [];
  if (typeof one !== 'object' || typeof other !== 'object' || more.length > 0) return;
  if (typeof one.type !== 'string' || other.type !== 'null' || one.enum !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, { ...one, ...schema, type: [one.type, 'null'] });
}

const idPattern = /^[a-z]{3}_[\w-]{20,}$/;
