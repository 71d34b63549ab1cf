/** Answers are looked at field by field; a test that takes a field for something else fails at its expectation. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const asObjects = (value: unknown): readonly JsonObject[] => value as readonly JsonObject[];
export const asObject = (value: unknown): JsonObject => value as JsonObject;
export const asText = (value: unknown): string => value as string;
