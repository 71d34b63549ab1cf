import type { Operation } from '@switchboard/operations';

/** The hints by which a client decides whether a model may call a tool; MCP defines the fields. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Changes of posts, accounts or refunds reach a platform, immediately or later. */
const platformWriteScopes: readonly Operation['scope'][] = [
  'connections:write',
  'posts:write',
  'refunds:write',
];

/** All four hints, always: a client assumes the worst for an absent hint. */
export const annotationsOf = ({ effect, boundary, scope, http }: Operation): ToolAnnotations => ({
  readOnlyHint: effect === 'read',
  // Everything beyond adding: existing data is replaced, canceled or deleted.
  destructiveHint: effect === 'delete' || effect === 'irreversible' || isDestructive(http),
  // Creating twice makes two; an `idempotency_key` makes it one, which a hint cannot express.
  idempotentHint: effect !== 'create' && effect !== 'irreversible',
  // A staged use case may call a platform while it runs.
  openWorldHint: boundary === 'staged' || (effect !== 'read' && platformWriteScopes.includes(scope)),
});

const isDestructive = ({ method, aliases = [] }: Operation['http']): boolean =>
  [method, ...aliases.map((route) => route.method)].some((one) => one === 'patch' || one === 'delete');
