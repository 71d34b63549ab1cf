import type { OutboundOutcome } from '@switchboard/domain/ports';

/**
 * A request without a response, for callers that handle exceptions only. States whether the request may have
 * had an effect.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly outcome: Exclude<OutboundOutcome, { kind: 'answered' }>;

  constructor(outcome: Exclude<OutboundOutcome, { kind: 'answered' }>) {
    super(`${outcome.kind}: ${outcome.reason}`);
    this.outcome = outcome;
  }
}
