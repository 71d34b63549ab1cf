import type { Operation } from '@switchboard/operations';

/** What a client may decide by before it lets a model call a tool; MCP names the fields. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What changes posts, accounts or refunds reaches a platform, if not at once then later. */
const platformWriteScopes: readonly Operation['scope'][] = [
  'connections:write',
  'posts:write',
  'refunds:write',
];

/** All four hints, always: what is left out, a client takes for the worst. */
export const annotationsOf = ({ effect, boundary, scope, http }: Operation): ToolAnnotations => ({
  readOnlyHint: effect === 'read',
  // Whatever does more than add: what was there is replaced, called off or gone.
  destructiveHint: effect === 'delete' || effect === 'irreversible' || isDestructive(http),
  // Something created twice is two; with an `idempotency_key` it is one, which a hint cannot say.
  idempotentHint: effect !== 'create' && effect !== 'irreversible',
  // A staged use case may ask a platform while it runs.
  openWorldHint: boundary === 'staged' || (effect !== 'read' && platformWriteScopes.includes(scope)),
});

const isDestructive = ({ method, aliases: also = [] }: Operation['http']): boolean =>
  [method, ...also.map((route) => route.method)].some((one) => one === 'patch' || one === 'delete');
