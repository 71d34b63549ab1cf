import * as graphql from 'graphql';

type QueryVariables = Readonly<Record<string, unknown>>;

const MUTATION_POINTS = 10;
const CONNECTION_POINTS = 2;

/**
 * The cost of a query by the published rules: an object one point, a list its requested size, a connection
 * two more, a mutation ten. Shopify itself has been observed to charge much less for lists, so a client that
 * stays within this cost stays within Shopify's.
 */
export function requestedCost(
  schema: graphql.GraphQLSchema,
  operation: graphql.OperationDefinitionNode,
  variables: QueryVariables,
): number {
  function ofSelection(
    set: graphql.SelectionSetNode | undefined,
    type: graphql.GraphQLNamedType | undefined,
  ): number {
    return (set?.selections ?? []).reduce((points, selection) => {
      if (selection.kind === 'Field') return points + ofField(selection, type);
      if (selection.kind === 'FragmentSpread') throw new Error('named fragments are not simulated');
      const named = selection.typeCondition?.name.value;
      return points + ofSelection(selection.selectionSet, named ? schema.getType(named) : type);
    }, 0);
  }

  function ofField(field: graphql.FieldNode, parent: graphql.GraphQLNamedType | undefined): number {
    const type = graphql.isObjectType(parent) ? parent.getFields()[field.name.value]?.type : undefined;
    const named = type && graphql.getNamedType(type);
    if (!type || !graphql.isCompositeType(named)) return 0;
    const size = sizeOf(field, variables);
    if (named.name.endsWith('Connection')) {
      return CONNECTION_POINTS + (size ?? 1) * ofSelection(field.selectionSet, named);
    }
    // The connection counts its nodes; the page objects are free.
    if (named.name === 'PageInfo') return 0;
    return (isList(type) ? (size ?? 1) : 1) * (1 + ofSelection(field.selectionSet, named));
  }

  const isMutation = operation.operation === 'mutation';
  const root = isMutation ? schema.getMutationType() : schema.getQueryType();
  return (isMutation ? MUTATION_POINTS : 0) + ofSelection(operation.selectionSet, root ?? undefined);
}

const isList = (type: graphql.GraphQLOutputType): boolean =>
  graphql.isListType(graphql.isNullableType(type) ? type : type.ofType);

function sizeOf({ arguments: provided = [] }: graphql.FieldNode, variables: QueryVariables): number | null {
  const size = provided.find(({ name }) => name.value === 'first' || name.value === 'last')?.value;
  if (size?.kind === 'IntValue') return Number(size.value);
  const value = size?.kind === 'Variable' ? variables[size.name.value] : null;
  return typeof value === 'number' ? value : null;
}

/** The actual cost: one point per object. */
export function actualCost(data: unknown): number {
  if (Array.isArray(data)) return data.reduce<number>((points, one) => points + actualCost(one), 0);
  if (typeof data !== 'object' || data === null) return 0;
  return Object.values(data).reduce<number>((points, one) => points + actualCost(one), 1);
}

export interface CostPlan {
  readonly maximumAvailable: number;
  readonly restoreRate: number;
}

/** A leaky bucket per app and store. */
export function costBucket({ maximumAvailable, restoreRate }: CostPlan, now: () => Date) {
  let available = maximumAvailable;
  let atMs: number | null = null;
  function refill() {
    const nowMs = now().getTime();
    available = Math.min(
      maximumAvailable,
      available + (Math.max(0, nowMs - (atMs ?? nowMs)) / 1_000) * restoreRate,
    );
    atMs = nowMs;
  }
  return {
    allows(points: number): boolean {
      refill();
      return points <= available;
    },
    take: (points: number) => void (available = Math.max(0, available - points)),
    status: () => ({ maximumAvailable, currentlyAvailable: Math.floor(available), restoreRate }),
  };
}
