import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';

/**
 * The revision without a handshake: each request states its revision and the capabilities of its client. The
 * specification calls it modern, and the revisions that begin with `initialize` legacy.
 */
export const MODERN_REVISION = '2026-07-28';

/** Newest first. */
const supportedRevisions: readonly string[] = [MODERN_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS];

const REVISION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The revision that a message states in its `_meta`: of any type, because it is unchecked. */
export const statedRevision = (message: unknown): unknown =>
  (message as { params?: { _meta?: Record<string, unknown> } } | null)?.params?._meta?.[REVISION_KEY];

/**
 * Which kind of revision a message belongs to. The header decides only where the message states none; both
 * are compared elsewhere. A stated revision that is not text is modern, which reports it as malformed.
 */
export function generationOf(message: unknown, header?: string): 'legacy' | 'modern' | 'unsupported' {
  const revision = statedRevision(message) ?? header;
  if (revision === undefined) return 'legacy';
  if (typeof revision !== 'string' || revision === MODERN_REVISION) return 'modern';
  return supportedRevisions.includes(revision) ? 'legacy' : 'unsupported';
}

const MAX_ECHOED_CHARACTERS = 64;

/** The error from which a client selects a revision that both support. */
export function unsupportedRevision(message: unknown, header?: string) {
  const requested = statedRevision(message) ?? header;
  return {
    code: -32022,
    message: `Unsupported protocol version. Use one of ${supportedRevisions.join(', ')}.`,
    data: {
      // Those of `server/discover`: an older revision begins with `initialize` instead.
      supported: [MODERN_REVISION],
      requested: typeof requested === 'string' ? requested.slice(0, MAX_ECHOED_CHARACTERS) : null,
    },
  };
}
