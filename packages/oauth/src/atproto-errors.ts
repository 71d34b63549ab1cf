import type { OutboundOutcome } from '@switchboard/domain/ports';
import { HandleResolutionError } from './atproto-client.js';

type FailedOutcome = Exclude<OutboundOutcome, { kind: 'answered' }>;

/**
 * The failure found in the cause chain of a library error. The library's messages quote servers and must not
 * leave this module.
 */
export type AtprotoErrorKind =
  | { readonly kind: 'address_refused' }
  /** No server was reached. `permanent`: the host name does not exist. */
  | { readonly kind: 'unreachable'; readonly permanent: boolean }
  | { readonly kind: 'answered'; readonly status: number; readonly error: string | null }
  | { readonly kind: 'other'; readonly name: string; readonly message: string };

export function classifyAtprotoError(error: unknown): AtprotoErrorKind {
  const chain: object[] = [];
  for (
    let at = error;
    typeof at === 'object' && at !== null && chain.length < 10;
    at = (at as { cause?: unknown }).cause
  ) {
    chain.push(at);
  }
  for (const link of chain) {
    if (link instanceof HandleResolutionError) {
      return link.reason === 'address_refused'
        ? { kind: 'address_refused' }
        : { kind: 'unreachable', permanent: false };
    }
    const { outcome } = link as { outcome?: FailedOutcome };
    if (outcome?.kind === 'not_sent' && outcome.reason === 'address_refused')
      return { kind: 'address_refused' };
    if (outcome)
      return { kind: 'unreachable', permanent: outcome.kind === 'not_sent' && outcome.reason === 'dns' };
  }
  for (const link of chain) {
    const { response, error: errorCode } = link as { response?: unknown; error?: unknown };
    if (response instanceof Response) {
      return {
        kind: 'answered',
        status: response.status,
        error: typeof errorCode === 'string' ? errorCode : null,
      };
    }
  }
  const { name, message } = error instanceof Error ? error : new Error('unknown');
  return { kind: 'other', name, message };
}
