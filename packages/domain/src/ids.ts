export type IdPrefix =
  | 'wsp'
  | 'prf'
  | 'con'
  | 'cns'
  | 'pst'
  | 'dlv'
  | 'med'
  | 'quo'
  | 'rfd'
  | 'key'
  | 'whk'
  | 'whd'
  | 'evt'
  | 'ext'
  | 'apr'
  | 'cli'
  | 'inv'
  | 'app'
  | 'aud'
  | 'att'
  | 'cch'
  | 'req';

/**
 * A prefix and a sortable random part: 48 bits of milliseconds and 80 random bits in lower-case Crockford
 * base 32.
 */
export type Id<Prefix extends IdPrefix> = `${Prefix}_${string}` & { readonly __id: Prefix };

export type WorkspaceId = Id<'wsp'>;
export type ProfileId = Id<'prf'>;
export type ConnectionId = Id<'con'>;
export type ConnectSessionId = Id<'cns'>;
export type ConnectChoiceId = Id<'cch'>;
export type PostId = Id<'pst'>;
export type DeliveryId = Id<'dlv'>;
export type AttemptId = Id<'att'>;
export type MediaId = Id<'med'>;
export type QuoteId = Id<'quo'>;
export type RefundId = Id<'rfd'>;
export type ApprovalId = Id<'apr'>;
export type KeyId = Id<'key'>;
export type EventId = Id<'evt'>;
export type ExternalPostId = Id<'ext'>;
export type AuditId = Id<'aud'>;
export type WebhookId = Id<'whk'>;
export type ClientId = Id<'cli'>;
export type InvitationId = Id<'inv'>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const PART = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export function parseId<Prefix extends IdPrefix>(prefix: Prefix, text: string): Id<Prefix> | null {
  if (!text.startsWith(`${prefix}_`) || !PART.test(text.slice(prefix.length + 1))) return null;
  return text as Id<Prefix>;
}

/** Builds an id from a time in milliseconds since 1970 and ten random bytes. */
export function formatId<Prefix extends IdPrefix>(
  prefix: Prefix,
  timeMs: number,
  random: Uint8Array,
): Id<Prefix> {
  if (!Number.isInteger(timeMs) || timeMs < 0 || timeMs >= 2 ** 48)
    throw new Error('an id requires a millisecond of 48 bits');
  if (random.length !== 10) throw new Error('an id requires ten random bytes');
  let time = '';
  for (let rest = timeMs, at = 0; at < 10; at++, rest = Math.floor(rest / 32))
    time = ALPHABET.charAt(rest % 32) + time;
  let bits = 0n;
  for (const byte of random) bits = (bits << 8n) | BigInt(byte);
  let tail = '';
  for (let at = 0; at < 16; at++, bits >>= 5n) tail = ALPHABET.charAt(Number(bits & 31n)) + tail;
  return `${prefix}_${time}${tail}` as Id<Prefix>;
}

export function idTimeMs(id: Id<IdPrefix>): number {
  const part = id.slice(id.indexOf('_') + 1, id.indexOf('_') + 11);
  let time = 0;
  for (const letter of part) time = time * 32 + ALPHABET.indexOf(letter);
  return time;
}
