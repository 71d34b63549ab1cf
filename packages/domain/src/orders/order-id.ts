import { fromBase64Url, toBase64Url } from '../base64-url.js';
import { parseId, type ConnectionId } from '../ids.js';

/** An order has no database row: its id contains the connection that reads it and the store's own id. */
export interface ParsedOrderId {
  readonly connectionId: ConnectionId;
  readonly externalId: string;
}

const VERSION = '1';
const MAX = 200;
const CONNECTION_PART = 26;

/** `ord_` + base64url(version, connection id without its prefix, the store's own id). */
export function formatOrderId({ connectionId, externalId }: ParsedOrderId): string {
  const bytes = new TextEncoder().encode(`${VERSION}${connectionId.slice('con_'.length)}${externalId}`);
  const id = `ord_${toBase64Url(bytes)}`;
  if (id.length > MAX)
    throw new Error(`the store’s id is too long for an order id: ${externalId.length} characters`);
  return id;
}

/** Null for any text that `formatOrderId` did not produce, even with minimal differences. */
export function parseOrderId(text: string): ParsedOrderId | null {
  if (text.length > MAX || !/^ord_[A-Za-z0-9_-]+$/.test(text)) return null;
  const decoded = fromBase64Url(text.slice('ord_'.length));
  if (decoded === null || !decoded.startsWith(VERSION)) return null;
  const connectionId = parseId('con', `con_${decoded.slice(1, 1 + CONNECTION_PART)}`);
  const externalId = decoded.slice(1 + CONNECTION_PART);
  if (connectionId === null || !isSafePathSegment(externalId)) return null;
  const address = { connectionId, externalId };
  return formatOrderId(address) === text ? address : null;
}

/**
 * The id comes from a caller and becomes part of a store's path: rejects everything that a URL would not read
 * as a plain segment.
 */
const isSafePathSegment = (externalId: string): boolean =>
  !['', '.', '..'].includes(externalId) &&
  [...externalId].every((letter) => letter >= ' ' && letter !== '\u007f');
