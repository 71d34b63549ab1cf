import { BlockList, isIP } from 'node:net';
import type { MediaId, WorkspaceId } from '@switchboard/domain';
import type { Clock, MediaLinks } from '@switchboard/domain/ports';
import { hmacTokens } from './hmac-tokens.js';

/** Long enough for a platform that fetches media asynchronously. */
const PUBLIC_LINK_MS = 3_600_000;

type MediaLinkPurpose = 'download' | 'upload';

interface MediaLinksOptions {
  readonly key: Uint8Array;
  /** The public URL of the REST app, without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
}

/** A token holds its expiry in seconds and what it links to. */
export function hmacMediaLinks({ key, publicUrl, clock }: MediaLinksOptions): MediaLinks {
  const tokens = hmacTokens(key, 'swb-media-1');
  const isPublic = isPublicHost(new URL(publicUrl).hostname);

  const signToken = (purpose: MediaLinkPurpose, untilMs: number, value: readonly unknown[]): string =>
    tokens.sign(purpose, [Math.ceil(untilMs / 1000), ...value]);
  function verifyToken<Value extends readonly unknown[]>(
    purpose: MediaLinkPurpose,
    token: string,
  ): Value | null {
    const content = tokens.verify<[number, ...Value]>(purpose, token);
    if (!content) return null;
    const [until, ...value] = content;
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
