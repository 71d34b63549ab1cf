import { createHash } from 'node:crypto';
import * as injection from '@switchboard/fault-injection';
import type { PlatformName } from './world.js';

export { FAULT_KINDS, type FaultKind } from '@switchboard/fault-injection';

/** Named as on the wire; the README documents each field. */
export interface FaultSpec extends injection.FaultSpec {
  readonly platform: PlatformName;
  readonly match?: injection.FaultSpec['match'] & {
    readonly account?: string | undefined;
    /** The bearer token itself; only its hash is stored. */
    readonly token?: string | undefined;
  };
}

/** A fault whose token is stored as a hash. */
type StoredFault = Omit<FaultSpec, 'match'> & {
  readonly match: Omit<NonNullable<FaultSpec['match']>, 'token'> & {
    readonly token_hash?: string | undefined;
  };
};
export type Fault = injection.EnabledFault<StoredFault>;

interface FaultTarget {
  readonly platform: PlatformName;
  readonly method: string;
  readonly path: string;
  readonly account: string | null;
  readonly tokenHash: string | null;
  /** As JSON; empty without a body. */
  readonly body: string;
}

export function createFaults() {
  const faults = injection.createFaults<StoredFault, FaultTarget>(isMeant);
  return {
    ...faults,
    add({ match: { token, ...match } = {}, ...spec }: FaultSpec): Fault {
      return faults.add({
        ...spec,
        match: { ...match, token_hash: token === undefined ? undefined : hashOf(token) },
      });
    },
  };
}
export type Faults = ReturnType<typeof createFaults>;

/** The stored representation of a token that must be recognized again. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}

function isMeant({ platform, match }: Fault, target: FaultTarget): boolean {
  const shortPath = target.path.slice(`/${target.platform}`.length);
  const prefix = match.path_prefix ?? '';
  return (
    platform === target.platform &&
    (match.method === undefined || match.method.toUpperCase() === target.method) &&
    (target.path.startsWith(prefix) || shortPath.startsWith(prefix)) &&
    (match.account === undefined || match.account === target.account) &&
    (match.token_hash === undefined || match.token_hash === target.tokenHash) &&
    (match.body === undefined || target.body.includes(match.body))
  );
}
