import type { IncomingHttpHeaders } from 'node:http';
import type { RawResponse } from '@switchboard/fault-injection';

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

export interface ReceivedRequest extends WireRequest {
  readonly headers: IncomingHttpHeaders;
  /** The path and the query, as sent. */
  readonly url: string;
  readonly bytes: Uint8Array;
}

export interface WireResponse {
  readonly status: number;
  /** Omitted: a response without a body. */
  readonly json?: unknown;
  readonly html?: string;
  readonly xml?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type SimulatedResponse = WireResponse | Promise<WireResponse>;

/** The result of a function that reads a request, without its refusals. */
export type Read<Reader extends (...args: never[]) => unknown> = Exclude<
  Awaited<ReturnType<Reader>>,
  WireResponse
>;

export interface Exchange {
  readonly request: ReceivedRequest;
  readonly answer: WireResponse;
}

export const okResponse = (json: unknown): WireResponse => ({ status: 200, json });
export const refusal = (status: number, error: string): WireResponse => ({ status, json: { error } });

export const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};

export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Fields with the same value, by their names separated by spaces. */
export const fieldsWith = <Value>(value: Value, names: string): Readonly<Record<string, Value>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

/** The named fields that have a value. */
export const pickFields = (all: object, names: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(all).filter(([name, value]) => names.includes(name) && value !== undefined),
  );

/** The response as it is sent. */
export function toRawResponse({ status, json, html, xml, headers }: WireResponse): RawResponse {
  const bytes = Buffer.from(html ?? xml ?? (json === undefined ? '' : JSON.stringify(json)));
  const text = html === undefined ? xml && 'application/xml' : 'text/html; charset=utf-8';
  const type = text ?? (json === undefined ? undefined : 'application/json; charset=utf-8');
  return { status, headers: { ...(type !== undefined && { 'content-type': type }), ...headers }, bytes };
}
