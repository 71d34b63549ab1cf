import { refuse } from '@switchboard/domain';
import type { RateLimitDecision } from '@switchboard/domain/ports';
import type { OperationResponse, Dispatch, Envelope, Operation } from '@switchboard/operations';
import { findExclusion, type ToolFilter, type ToolExclusion } from '../tools/tool-filter.js';

/** The caller, and the tools that it may use. */
export interface Caller {
  /** The value of the HTTP header: `Bearer swb_…`. */
  readonly authorization: string | undefined;
  readonly address: string | undefined;
  readonly toolFilter: ToolFilter;
  /** The trace of the request (W3C Trace Context). */
  readonly traceContext?: Envelope['traceContext'];
  /**
   * Requests of this caller that were already counted against the quotas when their messages arrived, so that
   * dispatch does not count them again.
   */
  readonly countedAllowances?: RateLimitDecision[];
}

/** The part of an envelope that differs between calls of one caller. */
type CallEnvelope = Pick<
  Envelope,
  'requestId' | 'idempotencyKey' | 'waitSeconds' | 'requestsWait' | 'confirmed' | 'signal' | 'onProgress'
> & {
  readonly input: Awaited<ReturnType<Envelope['readInput']>>;
};

/** Dispatches on behalf of a caller; a tool that the filter hides is rejected. */
export function dispatchForCaller(
  dispatch: Dispatch,
  operation: Operation,
  { authorization, address, toolFilter, traceContext, countedAllowances }: Caller,
  { input, ...callEnvelope }: CallEnvelope,
): Promise<OperationResponse> {
  const exclusion = findExclusion(operation, toolFilter);
  return dispatch(operation, {
    surface: 'mcp',
    authorization,
    address,
    traceContext,
    allowance: countedAllowances?.shift(),
    ...callEnvelope,
    // Reached only by a key that holds the scope: a key without it gets the missing scope as the reason,
    // whatever is excluded.
    readInput: async () => (exclusion === null ? input : refuseExcluded(exclusion)),
  });
}

/** Names no scope: the key holds it, and another one would change nothing. */
const refuseExcluded = ({ reason, ...details }: ToolExclusion) =>
  refuse('tool.hidden', reason, { details: { ...details } });
