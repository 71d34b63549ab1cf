import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import * as graphql from 'graphql';

/** The newest dated version in the package with the published schemas. */
export const API_VERSION = '2026-10';

let cachedSchema: graphql.GraphQLSchema | undefined;

/** Shopify's own Admin schema. It is loaded lazily because it has eleven megabytes. */
export function adminSchema(): graphql.GraphQLSchema {
  if (cachedSchema) return cachedSchema;
  const home = findPackageJSON('@shopify/dev-mcp', import.meta.url);
  if (home === undefined) throw new Error('The schemas are in @shopify/dev-mcp, which is not installed.');
  const file = path.join(path.dirname(home), 'dist/data', `admin_${API_VERSION}.json.gz`);
  const { data } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
    data: graphql.IntrospectionQuery;
  };
  cachedSchema = graphql.buildClientSchema(data, { assumeValid: true });
  return cachedSchema;
}

/** Validates a document against the published schema: unknown and deprecated fields. */
export function validateDocument(text: string): { readonly errors: string[]; readonly deprecated: string[] } {
  const document = graphql.parse(text);
  const words = (rules?: Parameters<typeof graphql.validate>[2]) =>
    graphql.validate(adminSchema(), document, rules).map(({ message }) => message);
  return { errors: words(), deprecated: words([graphql.NoDeprecatedCustomRule]) };
}

/**
 * Validates a response against the published schema: executing the document over the data must yield the same
 * data. A missing, unrequested or wrongly typed field is reported; the document must not use aliases.
 */
export function validateResponse(
  text: string,
  variables: Readonly<Record<string, unknown>>,
  data: unknown,
): readonly string[] {
  const { data: come, errors = [] } = graphql.executeSync({
    schema: adminSchema(),
    document: graphql.parse(text),
    rootValue: data,
    variableValues: variables,
  });
  if (errors.length > 0) return errors.map(({ message }) => message);
  return isDeepStrictEqual(JSON.parse(JSON.stringify(come)), data)
    ? []
    : ['The data does not match the document.'];
}
