/** A request as a simulated platform sees it, independent of the server. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON, the fields of a form with files as `FormFile`, or the raw bytes. */
  readonly body: unknown;
}

export interface WireResponse {
  readonly status: number;
  /** Omitted: a response without a body. */
  readonly json?: unknown;
  readonly html?: string;
  readonly xml?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const okResponse = (json: unknown): WireResponse => ({ status: 200, json });
export const refusal = (status: number, error: string): WireResponse => ({ status, json: { error } });

/** The fields of a body of any type. */
export const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};

export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
