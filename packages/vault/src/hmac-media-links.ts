import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import type { MediaId, WorkspaceId } from '@switchboard/domain';
import type { Clock, MediaLinks } from '@switchboard/domain/ports';
import { lengthPrefixed } from './length-prefixed.js';

/** Long enough for a platform that fetches media asynchronously. */
const PUBLIC_LINK_MS = 3_600_000;
const TAG_BYTES = 32;

type MediaLinkPurpose = 'download' | 'upload';

interface MediaLinksOptions {
  readonly key: Uint8Array;
  /** The public URL of the REST app, without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
}

/** A token is base64url of 32 bytes of HMAC-SHA-256, the expiry in seconds, and the payload as JSON. */
export function hmacMediaLinks({ key: bytes, publicUrl, clock }: MediaLinksOptions): MediaLinks {
  const key = createSecretKey(bytes);
  const computeTag = (purpose: MediaLinkPurpose, payload: Uint8Array) =>
    createHmac('sha256', key)
      .update(lengthPrefixed(['swb-media-1', purpose, payload]))
      .digest();
  const isPublic = isPublicHost(new URL(publicUrl).hostname);

  const signToken = (purpose: MediaLinkPurpose, untilMs: number, value: readonly unknown[]): string => {
    const payload = Buffer.from(JSON.stringify([Math.ceil(untilMs / 1000), ...value]), 'utf8');
    return Buffer.concat([computeTag(purpose, payload), payload]).toString('base64url');
  };
  function verifyToken<Value extends readonly unknown[]>(
    purpose: MediaLinkPurpose,
    token: string,
  ): Value | null {
    const bytes = Buffer.from(token, 'base64url');
    const payload = bytes.subarray(TAG_BYTES);
    const isAuthentic =
      bytes.length > TAG_BYTES &&
      bytes.toString('base64url') === token &&
      timingSafeEqual(bytes.subarray(0, TAG_BYTES), computeTag(purpose, payload));
    if (!isAuthentic) return null;
    const [until, ...value] = JSON.parse(payload.toString('utf8')) as [number, ...Value];
    return until * 1000 > clock.now().getTime() ? value : null;
  }

  return {
    isPublic: () => isPublic,
    publicUrl: ({ name, type, bytes }) =>
      `${publicUrl}/media/${signToken('download', clock.after(PUBLIC_LINK_MS).getTime(), [name, type, bytes])}`,
    uploadUrl: ({ workspaceId, mediaId }, expiresAt) =>
      `${publicUrl}/media/uploads/${signToken('upload', expiresAt.getTime(), [workspaceId, mediaId])}`,
    readPublic(token) {
      const value = verifyToken<[string, string, number]>('download', token);
      return value && { name: value[0], type: value[1], bytes: value[2] };
    },
    readUpload(token) {
      const value = verifyToken<[WorkspaceId, MediaId]>('upload', token);
      return value && { workspaceId: value[0], mediaId: value[1] };
    },
  };
}

const privateAddresses = new BlockList();
privateAddresses.addSubnet('0.0.0.0', 8);
privateAddresses.addSubnet('10.0.0.0', 8);
privateAddresses.addSubnet('127.0.0.0', 8);
privateAddresses.addSubnet('169.254.0.0', 16);
privateAddresses.addSubnet('172.16.0.0', 12);
privateAddresses.addSubnet('192.168.0.0', 16);
privateAddresses.addSubnet('::', 127, 'ipv6');
privateAddresses.addSubnet('fc00::', 7, 'ipv6');
privateAddresses.addSubnet('fe80::', 10, 'ipv6');

/** Whether the host may be public: not a name or address of this machine or its local network. */
function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family !== 0) return !privateAddresses.check(host, family === 6 ? 'ipv6' : 'ipv4');
  return host.includes('.') && !/\.(localhost|local|internal|lan|home|test)\.?$/.test(host);
}
