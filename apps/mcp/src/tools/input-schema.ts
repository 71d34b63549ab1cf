import type { Operation } from '@switchboard/operations';
import { z } from 'zod';
import { mcpFieldsOf } from './arguments.js';
import type { JsonObject } from './tool.js';

/** The strict, flat schema of a tool's arguments: the fields of the operation and those that MCP adds. */
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
 * A model reads every byte of the schema, so redundant keywords are removed: what a format, a description or
 * a name already says, that texts and lists are not empty, and bounds that no caller reaches. Dispatch still
 * checks all of them.
 */
function dropRedundantKeywords(schema: z.core.JSONSchema.BaseSchema, isRoot: boolean): void {
  if (schema.format !== undefined || schema.description !== undefined || schema.examples !== undefined) {
    delete schema.pattern;
  }
  if (schema.format !== undefined || schema.description !== undefined) delete schema.examples;
  if (schema.const !== undefined) delete schema.type;
  // Declared once at the root: nested objects are equally strict.
  if (!isRoot && schema.additionalProperties === false) delete schema.additionalProperties;
  if (isEmptyObject(schema.additionalProperties)) delete schema.additionalProperties;
  // A field called url or link implies it, and the schema dialects of some models do not support the format.
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

/** "This type, or null" in half the length. */
function foldNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [one, other, ...more] = schema.anyOf ?? [];
  if (typeof one !== 'object' || typeof other !== 'object' || more.length > 0) return;
  if (typeof one.type !== 'string' || other.type !== 'null' || one.enum !== undefined) return;
  delete schema.anyOf;
  Object.assign(schema, { ...one, ...schema, type: [one.type, 'null'] });
}

const idPattern = /^[a-z]{3}_[\w-]{20,}$/;
