import { parseId, type ConnectionId } from '../ids.js';

/** An order has no row of ours: its id says which connection reads it and what the store calls it. */
export interface OrderAddress {
  readonly connectionId: ConnectionId;
  readonly externalId: string;
}

const VERSION = '1';
const MAX = 200;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const CONNECTION_PART = 26;

/** `ord_` + base64url(version, connection id without its prefix, the store's own id). */
export function formatOrderId({ connectionId, externalId }: OrderAddress): string {
  const bytes = new TextEncoder().encode(`${VERSION}${connectionId.slice('con_'.length)}${externalId}`);
  const id = `ord_${toBase64Url(bytes)}`;
  if (id.length > MAX)
    throw new Error(`the store’s id is too long for an order id: ${externalId.length} characters`);
  return id;
}

/** Null for anything that `formatOrderId` did not write, however slightly it differs. */
export function parseOrderId(text: string): OrderAddress | null {
  if (text.length > MAX || !/^ord_[A-Za-z0-9_-]+$/.test(text)) return null;
  const plain = fromBase64Url(text.slice('ord_'.length));
  if (plain === null || !plain.startsWith(VERSION)) return null;
  const connectionId = parseId('con', `con_${plain.slice(1, 1 + CONNECTION_PART)}`);
  const externalId = plain.slice(1 + CONNECTION_PART);
  if (connectionId === null || !isPlain(externalId)) return null;
  const address = { connectionId, externalId };
  return formatOrderId(address) === text ? address : null;
}

/** It comes from a caller and goes into a store's path: nothing that a URL would read as something else than a name. */
const isPlain = (externalId: string): boolean =>
  !['', '.', '..'].includes(externalId) &&
  [...externalId].every((letter) => letter >= ' ' && letter !== '\u007f');

function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    for (held += 8; held >= 6; held -= 6) text += LETTERS.charAt((bits >>> (held - 6)) & 63);
    bits &= (1 << held) - 1;
  }
  return held === 0 ? text : text + LETTERS.charAt((bits << (6 - held)) & 63);
}

function fromBase64Url(text: string): string | null {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text) {
    bits = (bits << 6) | LETTERS.indexOf(letter);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push(bits >>> held);
    bits &= (1 << held) - 1;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}
