import {
  missingPermissions,
  permissionsOf,
  SCHEDULED_POSTS_MAX,
  type ConnectionView,
} from '@switchboard/domain/connections';
import type { Abilities, Manifest } from '@switchboard/domain/ports';
import { z } from 'zod';
import type { PresentationContext } from '../define.js';
import { pauseShape, presentPause } from '../pauses/pause-shape.js';
import { components, isoTime, isoTimeOrNull, time } from '../shapes.js';
import { truncateText } from '../truncate-text.js';

export const connectionStatuses = z.enum(['active', 'degraded', 'needs_reauth']);

export const connectionShape = z.object({
  id: z.string(),
  profile_id: z.string(),
  platform: z.string(),
  kind: z.enum(['social', 'commerce']),
  label: z.string().nullable(),
  external_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  status: connectionStatuses,
  status_reason: z.string().nullable(),
  paused: z.boolean(),
  pause: pauseShape.nullable(),
  account: z.object({
    id: z.string(),
    username: z.string().nullable(),
    name: z.string().nullable(),
    avatar_url: z.string().nullable(),
    url: z.string().nullable(),
  }),
  capabilities: z.array(z.enum(['publishing', 'analytics', 'orders', 'refunds'])),
  granted_permissions: z.array(z.string()),
  missing_permissions: z.array(z.string()),
  expires_at: time.nullable(),
  scheduled_posts: z
    .int()
    .describe(`Scheduled posts. Counted up to ${SCHEDULED_POSTS_MAX}; that value means that many or more.`),
  next_post_at: time.nullable(),
  watch_orders: z.boolean(),
  created_at: time,
  last_checked_at: time.nullable(),
});
connectionShape.register(components, { id: 'Connection' });

const abilityNames = ['publishing', 'analytics', 'orders', 'refunds'] as const;

/** Field by field: `toWireFormat` costs four times as much, and this is the list that is read most. */
export function presentConnection(
  { connection, scheduledPosts, nextPostAt }: ConnectionView,
  { ports }: PresentationContext,
): z.input<typeof connectionShape> {
  const manifest = ports.manifests.find(connection.platform);
  const abilities = manifest && ports.manifests.getAbilities(manifest.id);
  return {
    id: connection.id,
    profile_id: connection.profileId,
    platform: connection.platform,
    kind: connection.kind,
    label: connection.label,
    external_id: connection.externalId,
    metadata: connection.metadata,
    status: connection.status,
    status_reason: connection.statusReason,
    paused: connection.pause !== null,
    pause: presentPause(connection.pause),
    account: {
      id: connection.account.id,
      username: connection.account.username,
      name: connection.account.name,
      avatar_url: connection.account.avatarUrl,
      url: connection.account.url,
    },
    capabilities: abilityNames.filter((name) => hasAbility(manifest, abilities, name, connection)),
    granted_permissions: [...connection.grantedPermissions],
    missing_permissions: missingPermissions(manifest, connection),
    expires_at: isoTimeOrNull(connection.expiresAt),
    scheduled_posts: scheduledPosts,
    next_post_at: isoTimeOrNull(nextPostAt),
    watch_orders: connection.watchOrders,
    created_at: isoTime(connection.createdAt),
    last_checked_at: isoTimeOrNull(connection.lastCheckedAt),
  };
}

/**
 * On a platform that names its permissions, an account has an ability only when its grant contains the
 * permission; an empty grant gives no information.
 */
function hasAbility(
  manifest: Manifest | null,
  abilities: Abilities | null,
  name: (typeof abilityNames)[number],
  { connectMethod, grantedPermissions: granted }: ConnectionView['connection'],
): boolean {
  if (!manifest || abilities?.[name] == null) return false;
  const requiredPermissions = permissionsOf(manifest, connectMethod)[name] ?? [];
  return granted.length === 0 || requiredPermissions.every((permission) => granted.includes(permission));
}

/** The length of the name that identifies an account in a list. */
const NAME_CHARACTERS = 40;

/** Enough of a connection to choose one: what is empty or as usual is left out. */
export const compactConnection = (connection: z.output<typeof connectionShape>) => {
  const { account } = connection;
  const name = connection.label ?? account.name;
  return {
    id: connection.id,
    platform: connection.platform,
    kind: connection.kind,
    ...(account.username !== null && { username: truncateText(account.username, NAME_CHARACTERS) }),
    ...(name !== null && name !== account.username && { name: truncateText(name, NAME_CHARACTERS) }),
    status: connection.status,
    ...(connection.paused && { paused: true }),
    ...(connection.scheduled_posts > 0 && { scheduled_posts: connection.scheduled_posts }),
  };
};

export const exampleConnection: z.input<typeof connectionShape> = {
  id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
  profile_id: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab',
  platform: 'bluesky',
  kind: 'social',
  label: null,
  external_id: null,
  metadata: {},
  status: 'active',
  status_reason: null,
  paused: false,
  pause: null,
  account: {
    id: 'did:plc:ewvi7nxzyoun6zhxrhs64oiz',
    username: 'lumen.coffee',
    name: 'Lumen Coffee',
    avatar_url: null,
    url: 'https://bsky.app/profile/lumen.coffee',
  },
  capabilities: ['publishing', 'analytics'],
  granted_permissions: ['atproto', 'transition:generic'],
  missing_permissions: [],
  expires_at: null,
  scheduled_posts: 2,
  next_post_at: '2026-12-01T08:00:00.000Z',
  watch_orders: false,
  created_at: '2026-11-21T09:00:00.000Z',
  last_checked_at: '2026-11-21T09:00:00.000Z',
};
