import { refuse, type Allowance } from '@switchboard/domain';
import type { Answer, Dispatch, Envelope, Operation } from '@switchboard/operations';
import { outOfReach, type Narrowing, type OutOfReach } from './narrowing.js';

/** Who calls, and what is in reach. */
export interface Caller {
  /** As the HTTP header has it: `Bearer swb_…`. */
  readonly authorization: string | undefined;
  /** Where it comes from. */
  readonly address: string | undefined;
  readonly narrowing: Narrowing;
  /** Requests of this caller that were taken from the quotas when their messages came, and that dispatch need not take again. */
  readonly counted?: Allowance[];
}

/** The part of an envelope that tells calls of one caller apart. */
export type Asked = Pick<
  Envelope,
  'requestId' | 'idempotencyKey' | 'waitSeconds' | 'confirmed' | 'signal' | 'onProgress'
> & {
  readonly input: Awaited<ReturnType<Envelope['readInput']>>;
};

/** Asks dispatch on behalf of a caller; what is hidden here is refused like what the key may not do. */
export function askDispatch(
  dispatch: Dispatch,
  operation: Operation,
  { authorization, address, narrowing, counted }: Caller,
  { input, ...asked }: Asked,
): Promise<Answer> {
  const hidden = outOfReach(operation, narrowing);
  return dispatch(operation, {
    surface: 'mcp',
    authorization,
    address,
    allowance: counted?.shift(),
    ...asked,
    // Reached only by a key that holds the scope: one that does not is told so, whatever is hidden.
    readInput: async () => (hidden === null ? input : notHere(hidden)),
  });
}

/** No scope is named: the key holds it, and another one would change nothing. */
const notHere = ({ why, ...details }: OutOfReach) =>
  refuse('key.scope_missing', why, { details: { ...details }, whoCanFix: 'operator' });
