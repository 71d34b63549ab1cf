/**
 * The operations that a key may call. A *scope* belongs to this service; what a platform's account grants is
 * a *permission*.
 */
export const scopes = [
  'workspace:admin',
  'profiles:read',
  'profiles:write',
  'connections:read',
  'connections:write',
  'posts:read',
  'posts:write',
  'analytics:read',
  'orders:read',
  'refunds:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'audit:read',
  'keys:admin',
  'approvals:write',
] as const;

export type Scope = (typeof scopes)[number];

export const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text);

/** `posts:write` also satisfies `posts:read`; no other scope implies another. */
export const satisfies = (held: readonly Scope[], required: Scope): boolean =>
  held.includes(required) || (required === 'posts:read' && held.includes('posts:write'));

const withheldFromAgents: readonly Scope[] = [
  'refunds:write',
  'approvals:write',
  'keys:admin',
  'workspace:admin',
  'webhooks:write',
  'audit:read',
];

/** The three named sets of `switchboard keys create --preset`. */
export const scopePresets = {
  full: scopes,
  agent: scopes.filter((scope) => !withheldFromAgents.includes(scope)),
  reader: scopes.filter((scope) => scope.endsWith(':read') && scope !== 'audit:read'),
} as const satisfies Record<string, readonly Scope[]>;

/** Scopes that apply to the whole workspace: a key restricted to profiles cannot hold them. */
export const workspaceWideScopes: readonly Scope[] = [
  'keys:admin',
  'workspace:admin',
  'audit:read',
  'webhooks:read',
  'webhooks:write',
];
