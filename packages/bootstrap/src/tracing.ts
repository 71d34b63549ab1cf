/** W3C Trace Context, as a caller sends it. */
export interface TraceContext {
  readonly traceparent: string | undefined;
  readonly tracestate?: string | undefined;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanDescription {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  readonly attributes?: SpanAttributes | undefined;
}

/** What a finished piece of work adds to its span. */
export interface SpanEnd {
  readonly attributes?: SpanAttributes | undefined;
  /** Low cardinality, such as the code of a failure; the span is then an error. */
  readonly error?: string | undefined;
}

/**
 * Records traces. Without an exporter there is none (`null` everywhere), and its libraries are not loaded. Spans hold
 * names, ids and codes: neither bodies nor headers, queries or values.
 */
export interface Tracing {
  /**
   * Runs work in a span: a child of `parent`, or else of the running span, or else the first of a new trace. A parent
   * that is not valid counts as none.
   */
  run<Value>(
    span: SpanDescription & { readonly parent?: TraceContext | null | undefined },
    work: () => Promise<Value>,
    end?: (value: Value) => SpanEnd,
  ): Promise<Value>;
  /** Adds a span that has already ended, as a child of the running span. `startedMs` is by `performance.now()`. */
  record(span: SpanDescription & SpanEnd & { readonly startedMs: number }): void;
  /** Runs work that the running span merely triggers, and that is no part of it. */
  detached<Value>(work: () => Value): Value;
  isRunning(): boolean;
  /** Of the running span. */
  traceparent(): string | null;
  /** The fields that a log line has within the running span. */
  logFields(): { readonly trace_id: string; readonly span_id: string } | undefined;
  /** Sends what is left; an unreachable exporter delays it for a few seconds at most. */
  close(): Promise<void>;
}
