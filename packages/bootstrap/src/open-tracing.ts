import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { TracingConfig } from './config.js';
import type { SpanAttributes, SpanEnd, TraceContext, Tracing } from './tracing.js';

interface TracingOptions {
  readonly app: string;
  readonly version: string;
  readonly instanceId: string;
}

interface SpanScope {
  readonly span: Span;
  readonly context: Context;
  hasEnded: boolean;
}

const EXPORT_TIMEOUT_MS = 5000;
const CLOSE_MS = 3000;

/**
 * A module of its own, loaded only where an exporter is configured. Without the global registry of OpenTelemetry: a
 * process may run several services, and no library is instrumented, so that nothing adds headers to requests.
 */
export function openTracing(
  { url, headers, protocol, serviceName, resource, sampler }: TracingConfig,
  { app, version, instanceId }: TracingOptions,
): Tracing {
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const exporter = new Exporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS });
  const provider = new TracerProvider({
    sampler: createSampler(sampler),
    resource: resourceFromAttributes({
      'service.version': version,
      'service.instance.id': instanceId,
      'switchboard.app': app,
      ...resource,
      'service.name': serviceName,
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('switchboard', version);
  const propagator = new W3CTraceContextPropagator();
  const scopes = new AsyncLocalStorage<SpanScope | null>();

  /** Work that outlives its span, such as a timer that it started, is no part of it. */
  const running = (): SpanScope | null => {
    const scope = scopes.getStore() ?? null;
    return scope?.hasEnded === false ? scope : null;
  };
  const contextOf = (parent: TraceContext | null | undefined): Context =>
    parent?.traceparent
      ? propagator.extract(ROOT_CONTEXT, parent, carrier)
      : (running()?.context ?? ROOT_CONTEXT);

  return {
    async run({ name, kind, attributes, parent }, work, end) {
      const context = contextOf(parent);
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: definedOf(attributes) }, context);
      const scope: SpanScope = { span, context: trace.setSpan(context, span), hasEnded: false };
      try {
        const value = await scopes.run(scope, work);
        finish(span, end?.(value) ?? {});
        return value;
      } catch (error) {
        finish(span, { error: error instanceof Error ? error.name : 'error' });
        throw error;
      } finally {
        scope.hasEnded = true;
        span.end();
      }
    },
    record({ name, kind, attributes, error, startedMs }) {
      const context = contextOf(null);
      const startTime = performance.timeOrigin + startedMs;
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], startTime, attributes: definedOf(attributes) },
        context,
      );
      finish(span, { error });
      span.end();
    },
    detached: (work) => scopes.run(null, work),
    isRunning: () => running()?.span.isRecording() ?? false,
    traceparent() {
      const found = running();
      if (!found) return null;
      const headersOut: Record<string, string> = {};
      propagator.inject(found.context, headersOut, carrier);
      return headersOut['traceparent'] ?? null;
    },
    logFields() {
      const context = running()?.span.spanContext();
      return context && { trace_id: context.traceId, span_id: context.spanId };
    },
    async close() {
      const limit = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), limit]);
    },
  };
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

function finish(span: Span, { attributes, error }: SpanEnd): void {
  span.setAttributes(definedOf(attributes));
  if (error === undefined) return;
  span.setAttribute('error.type', error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const definedOf = (attributes: SpanAttributes = {}): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

const carrier = {
  get: (from: unknown, name: string) => (from as Record<string, string | undefined>)[name],
  set: (to: unknown, name: string, value: string) => void ((to as Record<string, string>)[name] = value),
  keys: (from: unknown) => Object.keys(from as object),
};

function createSampler({ name, ratio }: TracingConfig['sampler']): Sampler {
  const root = name.endsWith('always_off')
    ? new AlwaysOffSampler()
    : name.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
