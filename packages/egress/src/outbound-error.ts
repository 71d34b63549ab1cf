import type { OutboundOutcome } from '@switchboard/domain';

/** A request without an answer, for callers that only know exceptions. It says whether the request may have happened. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly outcome: Exclude<OutboundOutcome, { kind: 'answered' }>;

  constructor(outcome: Exclude<OutboundOutcome, { kind: 'answered' }>) {
    super(`${outcome.kind}: ${outcome.reason}`);
    this.outcome = outcome;
  }
}
