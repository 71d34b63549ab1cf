/** Undefined for a body that is empty or not JSON. */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

/** Empty for a body that is not an object. */
export function parseJsonObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parseJson(body);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
