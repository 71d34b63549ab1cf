import type { Request } from 'express';

/** A body or query as untrusted input. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function bodyFields(request: Request): Readonly<Record<string, unknown>> {
  return fieldsOf(request.body);
}

/** A query parameter given once; `undefined` when it is missing, empty or repeated. */
export function queryText(request: Request, name: string): string | undefined {
  const value = fieldsOf(request.query)[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function pathText(request: Request, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}

/** `undefined`, `null` and the empty string all mean "not given", as on real platforms. */
export function isProvided(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
