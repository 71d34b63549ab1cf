import { GraphQLError } from 'graphql';

/** An app's grant in a store. */
export interface ShopifyAccess {
  readonly scopes: readonly string[];
  /** Whether Shopify has approved it for names, addresses and email addresses. */
  readonly protectedData: boolean;
}

/** A write scope includes the read scope. */
export const hasScope = ({ scopes }: ShopifyAccess, scope: string): boolean =>
  scopes.includes(scope) || scopes.includes(scope.replace(/^read_/, 'write_'));

export function requireScope(access: ShopifyAccess, scope: string, field: string): void {
  if (hasScope(access, scope)) return;
  const required = `\`${scope}\` access scope`;
  throw new GraphQLError(`Access denied for ${field} field. Required access: ${required}.`, {
    extensions: {
      code: 'ACCESS_DENIED',
      documentation: 'https://shopify.dev/api/usage/access-scopes',
      requiredAccess: required,
    },
  });
}

/** Customer data: null with an error in the response when the app is not approved for it. */
export function requireProtectedData<Value>(access: ShopifyAccess, value: Value): Value {
  if (access.protectedData) return value;
  throw new GraphQLError(
    'This app is not approved to access the Customer object. See https://shopify.dev/docs/apps/launch/protected-customer-data for more details.',
    { extensions: { code: 'ACCESS_DENIED' } },
  );
}

/** The number in `gid://shopify/Order/123`. */
export function numberOf(type: string, id: unknown): number {
  const [, number] = new RegExp(`^gid://shopify/${type}/(\\d+)$`).exec(String(id)) ?? [];
  if (number !== undefined) return Number(number);
  throw new GraphQLError(`Invalid global id '${String(id)}'`, { extensions: { code: 'INVALID_VARIABLE' } });
}

export const globalId = (type: string, id: number): string => `gid://shopify/${type}/${id}`;
