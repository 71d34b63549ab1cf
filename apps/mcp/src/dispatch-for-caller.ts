import { refuse, type RateLimitDecision } from '@switchboard/domain';
import type { OperationResponse, Dispatch, Envelope, Operation } from '@switchboard/operations';
import { findExclusion, type ToolFilter, type ToolExclusion } from './tool-filter.js';

/** Who calls, and what is in reach. */
export interface Caller {
  /** As the HTTP header has it: `Bearer swb_…`. */
  readonly authorization: string | undefined;
  /** Where it comes from. */
  readonly address: string | undefined;
  readonly toolFilter: ToolFilter;
  /** Requests of this caller that were taken from the quotas when their messages came, and that dispatch need not take again. */
  readonly countedAllowances?: RateLimitDecision[];
}

/** The part of an envelope that tells calls of one caller apart. */
export type CallEnvelope = Pick<
  Envelope,
  'requestId' | 'idempotencyKey' | 'waitSeconds' | 'confirmed' | 'signal' | 'onProgress'
> & {
  readonly input: Awaited<ReturnType<Envelope['readInput']>>;
};

/** Asks dispatch on behalf of a caller; what is hidden here is refused like what the key may not do. */
export function dispatchForCaller(
  dispatch: Dispatch,
  operation: Operation,
  { authorization, address, toolFilter, countedAllowances }: Caller,
  { input, ...callEnvelope }: CallEnvelope,
): Promise<OperationResponse> {
  const exclusion = findExclusion(operation, toolFilter);
  return dispatch(operation, {
    surface: 'mcp',
    authorization,
    address,
    allowance: countedAllowances?.shift(),
    ...callEnvelope,
    // Reached only by a key that holds the scope: one that does not is told so, whatever is hidden.
    readInput: async () => (exclusion === null ? input : refuseExcluded(exclusion)),
  });
}

/** No scope is named: the key holds it, and another one would change nothing. */
const refuseExcluded = ({ reason, ...details }: ToolExclusion) =>
  refuse('key.scope_missing', reason, { details: { ...details }, whoCanFix: 'operator' });
