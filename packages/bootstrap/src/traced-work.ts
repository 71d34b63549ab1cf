import type { TraceAttempt } from '@switchboard/domain/deliveries';
import type { Downloads, Mailer, WebhookClient } from '@switchboard/domain/ports';
import type { TraceJob } from '@switchboard/jobs';
import type { Dispatch } from '@switchboard/operations';
import type { StatementObserver } from '@switchboard/persistence';
import type { Tracing } from './tracing.js';

/** Calls of operations: over HTTP they are named by method and route, over MCP by the tool. */
export const traceDispatch =
  (dispatch: Dispatch, tracing: Tracing): Dispatch =>
  (operation, envelope) => {
    const { surface, requestId, traceContext } = envelope;
    const { method, path } = operation.http;
    const isRest = surface === 'rest';
    return tracing.run(
      {
        name: isRest
          ? `${method.toUpperCase()} /v1${path}`
          : `tools/call ${operation.tool ?? operation.name}`,
        kind: 'server',
        parent: traceContext,
        attributes: {
          'switchboard.operation': operation.name,
          'switchboard.surface': surface,
          'switchboard.request_id': requestId,
          'http.request.method': isRest ? method.toUpperCase() : undefined,
          'http.route': isRest ? `/v1${path}` : undefined,
        },
      },
      () => dispatch(operation, envelope),
      ({ status, failure }) => ({
        attributes: {
          'http.response.status_code': isRest ? status : undefined,
          'switchboard.outcome': failure?.code ?? 'ok',
        },
        // The client's errors are none of the server (OpenTelemetry's conventions for HTTP).
        error: status >= 500 ? (failure?.code ?? String(status)) : undefined,
      }),
    );
  };

/** Statements within a span; those of idle workers would only be noise. Values are never part of a text. */
export const traceStatements = (tracing: Tracing): StatementObserver => ({
  isInterested: () => tracing.isRunning(),
  onEnd: ({ text, startedMs, error }) =>
    tracing.record({
      name: /[a-z]+/i.exec(text)?.[0].toUpperCase() ?? 'SQL',
      kind: 'client',
      startedMs,
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, STATEMENT_MAX) },
      error: error ?? undefined,
    }),
});

const STATEMENT_MAX = 2000;

/** Each attempt and read-back belongs to the trace of the call that created the delivery. */
export const traceDeliveries =
  (tracing: Tracing): TraceAttempt =>
  ({ delivery, traceparent }, kind, perform) =>
    tracing.detached(() =>
      tracing.run(
        {
          name: kind === 'deliver' ? 'deliver' : 'read back',
          kind: 'consumer',
          parent: { traceparent: traceparent ?? undefined },
          attributes: {
            'switchboard.delivery': delivery.id,
            'switchboard.post': delivery.postId,
            'switchboard.platform': delivery.platform,
            'switchboard.attempt': delivery.attempts,
          },
        },
        perform,
        (outcome) => ({
          attributes: { 'switchboard.outcome': outcome.kind },
          error: 'failure' in outcome ? outcome.failure.code : undefined,
        }),
      ),
    );

export const traceJobs =
  (tracing: Tracing): TraceJob =>
  (name, traceparent, perform) =>
    tracing.detached(() =>
      tracing.run(
        {
          name: name.replaceAll('_', ' '),
          kind: 'consumer',
          parent: { traceparent: traceparent ?? undefined },
        },
        perform,
      ),
    );

/** A webhook message has the context of its request, in the trace of the event. */
export const traceWebhooks = (client: WebhookClient, tracing: Tracing): WebhookClient => ({
  checkUrl: (url) => client.checkUrl(url),
  send: (message) => {
    const traced = {
      name: 'POST webhook',
      kind: 'client',
      parent: { traceparent: message.traceparent ?? undefined },
      attributes: {
        'http.request.method': 'POST',
        'server.address': URL.parse(message.url)?.host,
        'switchboard.event': message.id,
      },
    } as const;
    return tracing.run(
      traced,
      () => client.send({ ...message, traceparent: tracing.traceparent() }),
      (response) =>
        response.kind === 'answered'
          ? {
              attributes: { 'http.response.status_code': response.status },
              error: response.status < 400 ? undefined : String(response.status),
            }
          : { error: response.error },
    );
  },
});

/** An e-mail is no part of what it reports. */
export const traceEmails = (mailer: Mailer, tracing: Tracing): Mailer => ({
  send: (to, notification) =>
    tracing.detached(() =>
      tracing.run({ name: 'send e-mail', kind: 'client' }, () => mailer.send(to, notification)),
    ),
});

/** Until the response begins; its reader sets the pace of the rest. */
export const traceDownloads = (downloads: Downloads, tracing: Tracing): Downloads => ({
  open: (request) =>
    tracing.run(
      {
        name: 'GET media',
        kind: 'client',
        attributes: { 'http.request.method': 'GET', 'server.address': URL.parse(request.url)?.host },
      },
      () => downloads.open(request),
      (outcome) => ({
        attributes: { 'http.response.status_code': outcome.kind === 'refused' ? outcome.status : undefined },
        error:
          outcome.kind === 'opened'
            ? undefined
            : outcome.kind === 'refused'
              ? String(outcome.status)
              : outcome.reason,
      }),
    ),
});
