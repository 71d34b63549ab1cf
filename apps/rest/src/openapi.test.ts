import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { catalog, type Operation } from '@switchboard/operations';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describeApi } from './openapi.js';

interface Body {
  readonly schema: object;
  readonly example?: unknown;
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: { readonly type?: string };
  readonly explode?: boolean;
  readonly example?: unknown;
}
interface Described {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Body } };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly headers: object;
        readonly content?: Readonly<Record<string, Body>>;
      }
    >
  >;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: { readonly Problem: object } };
}

const text = JSON.stringify(describeApi(catalog, { publicUrl: 'https://switchboard.example' }));
const document = JSON.parse(text) as Document;
const operations = catalog.filter(({ surfaces }) => surfaces.includes('rest'));
const described = ({ http: { method, path } }: Operation): Described => {
  const found = document.paths[`/v1${path.replace(/:(\w+)/g, '{$1}')}`]?.[method];
  if (!found) throw new Error(`${method} ${path} is not described`);
  return found;
};
const find = (name: string) => {
  const operation = operations.find((one) => one.name === name);
  if (!operation) throw new Error(`unknown operation ${name}`);
  return operation;
};

test('is valid OpenAPI 3.1 and clean under the recommended rules', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: { 'operation-4xx-response': 'error', 'no-invalid-media-type-examples': 'error' },
  });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([]);
});

test('names the public URL as its server', () => {
  expect(document.servers).toEqual([expect.objectContaining({ url: 'https://switchboard.example' })]);
});

test.each(operations.map((operation) => [operation.name, operation] as const))(
  'describes %s with its status, parameters and every failure it declares',
  (name, operation) => {
    const { operationId, parameters, responses } = described(operation);
    expect(operationId).toBe(name);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([String(operation.http.status), '400', '401', '500', '503']),
    );
    const inPath = parameters.filter((one) => one.in === 'path').map((one) => one.name);
    expect(inPath).toEqual([...operation.http.path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter));
    const documented = Object.values(responses)
      .map(({ description }) => description)
      .join('\n');
    for (const code of operation.failures) expect(documented).toContain(`\`${code}\``);
  },
);

test.each(operations.map((operation) => [operation.name, operation] as const))(
  'has examples of %s that match their own schemas',
  (_, operation) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    const { parameters, requestBody, responses } = described(operation);
    const bodies = [
      requestBody?.content['application/json'],
      responses[operation.http.status]?.content?.['application/json'],
    ];
    for (const { schema, example } of [...bodies, ...parameters].filter((one) => one !== undefined)) {
      if (example === undefined) continue;
      const fits = ajv.validate(schema, example);
      expect(ajv.errorsText(fits ? null : ajv.errors)).toBe('No errors');
    }
  },
);

test('puts the parameters of a read in the URL, lists with commas, and those of a change in the body', () => {
  for (const operation of operations) {
    const { parameters, requestBody } = described(operation);
    if (operation.http.method === 'get') expect(requestBody).toBeUndefined();
    else if (operation.http.method !== 'delete')
      expect(parameters.filter((one) => one.in === 'query')).toEqual([]);
    for (const one of parameters) if (one.schema?.type === 'array') expect(one.explode).toBe(false);
  }
  const { parameters } = described(find('listProfiles'));
  expect(parameters.map((one) => one.name)).toEqual(expect.arrayContaining(['limit', 'cursor']));
  const body = described(find('updateProfile')).requestBody?.content['application/json'].schema as {
    properties: object;
  };
  expect(Object.keys(body.properties)).toEqual(expect.arrayContaining(['name', 'metadata']));
  expect(body.properties).not.toHaveProperty('id');
});

test('offers each header only where it has an effect', () => {
  const refs = (name: string) => described(find(name)).parameters.map((one) => one.$ref);
  expect(refs('createProfile')).toContain('#/components/parameters/IdempotencyKey');
  expect(refs('listProfiles')).not.toContain('#/components/parameters/IdempotencyKey');
  expect(refs('updateProfile')).toContain('#/components/parameters/IfMatch');
  expect(refs('createProfile')).not.toContain('#/components/parameters/IfMatch');
  const headers = (name: string) => Object.keys(described(find(name)).responses['200']?.headers ?? {});
  expect(headers('listProfiles')).toContain('Link');
  expect(headers('getMe')).not.toContain('Link');
  for (const operation of operations) {
    for (const response of Object.values(described(operation).responses))
      expect(response.headers).toHaveProperty('X-Request-Id');
    for (const [status, response] of Object.entries(described(operation).responses))
      for (const header of ['RateLimit', 'RateLimit-Policy'])
        expect([status, header in (response.headers ?? {})]).toEqual([status, status !== '401']);
  }
});
