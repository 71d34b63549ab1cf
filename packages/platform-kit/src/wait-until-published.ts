import { ok, type Result } from '@switchboard/domain';
import type { PlatformFailureCode, Session } from '@switchboard/domain/ports';
import { mapFailureAfterSend } from './map-failure-after-send.js';
import type { AdapterResult } from './platform-client.js';
import { waitUntilReady } from './wait-until-ready.js';

interface PublicationCheck<Part> {
  /** The platform's name. */
  readonly name: string;
  /** The delays before each poll, in milliseconds. A longer wait is continued by `find`. */
  readonly delaysMs: readonly number[];
  /** The platform's decision: the published part, or that there will be none. Null: not decided yet. */
  readonly look: () => AdapterResult<Result<Part, PlatformFailureCode> | null>;
  /** The message while there is no decision. */
  readonly unconfirmed?: string | undefined;
}

/**
 * Waits for the outcome of a post that the platform has accepted. Only the platform's own decision is
 * certain: a read that fails or is refused, and a wait without a decision, leave the outcome unknown.
 */
export async function waitUntilPublished<Part>(
  session: Pick<Session, 'signal'>,
  { name, delaysMs, look, unconfirmed }: PublicationCheck<Part>,
): AdapterResult<Part> {
  const decisions: Result<Part, PlatformFailureCode>[] = [];
  const waited = await waitUntilReady(session, {
    name,
    delaysMs,
    async look() {
      const seen = await look();
      if (!seen.ok) return seen;
      if (seen.value === null) return ok('processing');
      decisions.push(seen.value);
      return ok('ready');
    },
  });
  const [decision] = decisions;
  if (decision) return decision;
  if (waited.ok) throw new Error('the wait has ended without a decision');
  return mapFailureAfterSend({ name }, waited, unconfirmed);
}
