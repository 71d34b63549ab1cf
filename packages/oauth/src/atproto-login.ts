import { refuse, type Refusal } from '@switchboard/domain';
import { isDid, isHandle } from './atproto-directory.js';

type AtprotoLogin =
  | { readonly kind: 'server'; readonly origin: string }
  | { readonly kind: 'identity'; readonly identifier: string };

/** Parses the login input as a handle or a server. Null when it is neither. */
export function parseAtprotoLogin(typed: string | undefined): AtprotoLogin | null {
  // Copied handles include an @ and Unicode direction marks.

  const text = (typed ?? '').replace(/[\u0000-\u001f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '').trim();
  if (/^https?:\/\//i.test(text)) {
    const origin = parseServerOrigin(text);
    return origin === null ? null : { kind: 'server', origin };
  }
  if (isDid(text)) return { kind: 'identity', identifier: text };
  const handle = text.replace(/^@/, '').toLowerCase();
  return isHandle(handle) ? { kind: 'identity', identifier: handle } : null;
}

/** An origin, entered with or without `https://`. */
export function parseServerOrigin(typed: string): string | null {
  const text = /^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlainOrigin =
    (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password;
  return isPlainOrigin ? url.origin : null;
}

export const refuseFormField = (field: string, message: string): Refusal<'connect.answer_invalid'> =>
  refuse('connect.answer_invalid', message, { problems: [{ path: field, code: 'field.invalid', message }] });
