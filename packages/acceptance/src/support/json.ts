/** Responses are inspected field by field; a test that assumes a wrong type fails at its expectation. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const asObjects = (value: unknown): readonly JsonObject[] => value as readonly JsonObject[];
export const asObject = (value: unknown): JsonObject => value as JsonObject;
export const asText = (value: unknown): string => value as string;
