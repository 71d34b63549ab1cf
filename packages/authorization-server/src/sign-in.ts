import type { InvitationId } from '@switchboard/domain';
import type { Scope } from '@switchboard/domain/access';
import type { ClientDisplay } from './client-metadata.js';

/** An authorization request whose decision this browser has to make. */
export interface SignIn {
  /** In the path of its pages. */
  readonly id: string;
  readonly client: ClientDisplay;
  /** The scopes that the client requests. */
  readonly scopes: readonly Scope[];
  /** The languages that the client requests for the pages (`ui_locales`), best first; null without any. */
  readonly locales: string | null;
  /** The origin to which the browser returns, for the policy of the pages. */
  readonly returnOrigin: string;
  /** The invitation whose code the visitor has entered; null before that. */
  readonly invitationId: InvitationId | null;
  /** How many wrong codes the visitor has entered. */
  readonly failures: number;
}
