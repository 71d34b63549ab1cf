import * as graphql from 'graphql';
import type { WireResponse } from '../wire/exchange.js';
import type { ShopifyAccess } from './access.js';
import { adminRoot, type AdminBackend, type PostEffectFault } from './admin-root.js';
import { adminSchema } from './admin-schema.js';
import { actualCost, costBucket, requestedCost, type CostPlan } from './cost.js';
import type { SearchWarning } from './order-search.js';

export type GraphqlFault = 'throttled' | 'internal_error_before' | 'internal_error_after' | PostEffectFault;

const SINGLE_QUERY_POINTS_MAX = 1_000;
/** GraphQL's response when execution does not start: status 200 without data. */
const refusal = (message: string, code: string, more: object = {}, extensions?: object): WireResponse => ({
  status: 200,
  json: { errors: [{ message, extensions: { code, ...more } }], ...(extensions && { extensions }) },
});

/** The Admin API endpoint: parses, validates and prices a document before executing it. */
export function graphqlEndpoint(behind: AdminBackend & { readonly plan: CostPlan }) {
  const bucket = costBucket(behind.plan, behind.now);
  const warned: SearchWarning[] = [];
  let disturbance: { readonly how: GraphqlFault; skipRequests: number } | null = null;

  function takeDisturbance(): GraphqlFault | null {
    if (!disturbance || disturbance.skipRequests-- > 0) return null;
    const { how } = disturbance;
    disturbance = null;
    return how;
  }

  function respond(body: Readonly<Record<string, unknown>>, access: ShopifyAccess): WireResponse {
    const how = takeDisturbance();
    const read = readDocument(String(body['query']));
    if ('status' in read) return read;
    const { document, operation } = read;
    const variables = (body['variables'] ?? {}) as Readonly<Record<string, unknown>>;
    const requested = requestedCost(adminSchema(), operation, variables);
    if (requested > SINGLE_QUERY_POINTS_MAX) {
      const limit = SINGLE_QUERY_POINTS_MAX;
      return refusal(
        `Query cost is ${requested}, which exceeds the single query max cost limit (${limit}).`,
        'MAX_COST_EXCEEDED',
        { cost: requested, maxCost: limit },
      );
    }
    const cost = (actual: number | null) => ({
      requestedQueryCost: requested,
      actualQueryCost: actual,
      throttleStatus: bucket.status(),
    });
    if (!bucket.allows(requested) || how === 'throttled') {
      const extensions = { cost: cost(null) };
      return refusal('Throttled', 'THROTTLED', {}, extensions);
    }
    const broken = refusal(
      'Internal error. Looks like something went wrong on our end.',
      'INTERNAL_SERVER_ERROR',
    );
    if (how === 'internal_error_before') return broken;
    const warnings: SearchWarning[] = [];
    const { data, errors } = graphql.executeSync({
      schema: adminSchema(),
      document,
      rootValue: adminRoot(behind, access, { warn: (warning) => warnings.push(warning), how }),
      variableValues: variables,
    });
    if (how === 'internal_error_after') return broken;
    // A document rejected before execution gets no data.
    const early = errors?.find(({ extensions }) => extensions['code'] === 'INVALID_VARIABLE');
    if (early) return { status: 200, json: { errors: [early.toJSON()] } };
    const actual = actualCost(data);
    bucket.take(actual);
    warned.push(...warnings);
    const search = warnings.length > 0 ? { search: [{ path: ['orders'], warnings }] } : {};
    return {
      status: 200,
      json: {
        ...(data !== undefined && { data }),
        ...(errors && { errors: errors.map((error) => error.toJSON()) }),
        extensions: { cost: cost(actual), ...search },
      },
    };
  }

  return {
    answer: respond,
    disturb: (how: GraphqlFault, skipRequests: number) => void (disturbance = { how, skipRequests }),
    warnings: (): readonly SearchWarning[] => warned,
  };
}

type ReadDocument =
  | { readonly document: graphql.DocumentNode; readonly operation: graphql.OperationDefinitionNode }
  | WireResponse;

/** The adapter sends few documents many times: each is validated once. */
const documents = new Map<string, ReadDocument>();

function readDocument(text: string): ReadDocument {
  const known = documents.get(text) ?? validateDocument(text);
  documents.set(text, known);
  return known;
}

function validateDocument(text: string): ReadDocument {
  try {
    const document = graphql.parse(text);
    const [fault] = graphql.validate(adminSchema(), document);
    if (fault) return refusal(fault.message, 'undefinedField');
    const operation = document.definitions.find(({ kind }) => kind === 'OperationDefinition');
    if (operation?.kind === 'OperationDefinition') return { document, operation };
    return refusal('An operation is required.', 'BAD_REQUEST');
  } catch (error) {
    return refusal(error instanceof Error ? error.message : 'The document cannot be parsed.', 'BAD_REQUEST');
  }
}
