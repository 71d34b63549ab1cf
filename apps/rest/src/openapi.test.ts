import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { eventTypes } from '@switchboard/domain/events';
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
        readonly $ref?: string;
        readonly description?: string;
        readonly headers?: object;
        readonly content?: Readonly<Record<string, Body>>;
      }
    >
  >;
}
interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Described }>>;
  readonly info: { readonly version: string };
  readonly components: {
    readonly schemas: Readonly<
      Record<
        string,
        {
          readonly examples?: readonly unknown[];
          readonly oneOf?: readonly { readonly $ref: string }[];
          readonly properties?: { readonly type?: { readonly enum?: readonly string[] } };
        }
      >
    >;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Described['responses'][string]>>;
  };
}

const text = JSON.stringify(
  describeApi(catalog, { version: '1.2.3', publicUrl: 'https://switchboard.example' }),
);
const document = JSON.parse(text) as Document;
const described = ({ http: { method, path } }: Operation): Described => {
  const found = document.paths[`/v1${path.replace(/:(\w+)/g, '{$1}')}`]?.[method];
  if (!found) throw new Error(`${method} ${path} is not described`);
  return found;
};
/** The components are compiled once for all schemas that refer to them. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ components: document.components }, 'document');
const toDocument = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as object;
const nameOf = ($ref: string) => $ref.replace(/^.*\//, '');
/** A part of the document without its reference; what is beside the reference takes precedence. */
const resolve = <Part extends { readonly $ref?: string }>(
  part: Part,
  components: Readonly<Record<string, Part>>,
): Part => (part.$ref === undefined ? part : { ...components[nameOf(part.$ref)], ...part });
const parametersOf = ({ parameters }: Described) =>
  parameters.map((one) => resolve(one, document.components.parameters));
const responsesOf = ({ responses }: Described) =>
  Object.entries(responses).map(
    ([status, one]) => [status, resolve(one, document.components.responses)] as const,
  );
const find = (name: string) => {
  const operation = catalog.find((one) => one.name === name);
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

test.each(catalog.map((operation) => [operation.name, operation] as const))(
  'describes %s with its status, parameters and every failure it declares',
  (name, operation) => {
    const { operationId, responses } = described(operation);
    expect(operationId).toBe(name);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([String(operation.http.status), '400', '401', '500', '503']),
    );
    const inPath = parametersOf(described(operation))
      .filter((one) => one.in === 'path')
      .map((one) => one.name);
    expect(inPath).toEqual([...operation.http.path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter));
    const documented = responsesOf(described(operation))
      .map(([, { description }]) => description)
      .join('\n');
    for (const code of operation.failures) expect(documented).toContain(`\`${code}\``);
  },
);

test.each(catalog.map((operation) => [operation.name, operation] as const))(
  'has examples of %s that match their own schemas',
  (_, operation) => {
    const { requestBody } = described(operation);
    const success = new Map(responsesOf(described(operation))).get(String(operation.http.status));
    const bodies = [requestBody?.content['application/json'], success?.content?.['application/json']];
    const parts = [...bodies, ...parametersOf(described(operation))];
    for (const { schema, example } of parts.filter((one) => one !== undefined)) {
      if (example === undefined) continue;
      const fits = ajv.validate(toDocument(schema), example);
      expect(ajv.errorsText(fits ? null : ajv.errors)).toBe('No errors');
    }
  },
);

test('has examples of named schemas that match them, and one for every resource', () => {
  const { schemas } = document.components;
  for (const [name, { examples = [] }] of Object.entries(schemas)) {
    for (const example of examples) {
      const fits = ajv.validate(`document#/components/schemas/${name}`, example);
      expect([name, ajv.errorsText(fits ? null : ajv.errors)]).toEqual([name, 'No errors']);
    }
  }
  for (const name of ['Post', 'Connection', 'Order', 'Refund', 'Quote', 'Analytics', 'Media', 'Key'])
    expect(schemas[name]?.examples).toHaveLength(1);
});

test('names the schema of every resource, shared parameters, and one response per status of a failure', () => {
  const { schemas, parameters, responses } = document.components;
  const resources =
    'Post Delivery Connection Order Refund Quote Money Analytics Media Profile Key Platform Workspace Problem';
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(resources.split(' ')));
  expect(Object.keys(parameters)).toEqual(
    expect.arrayContaining(['Limit', 'Cursor', 'ProfileId', 'PostIdInPath', 'IdempotencyKey', 'IfNoneMatch']),
  );
  for (const operation of catalog) {
    for (const [status, { $ref }] of Object.entries(described(operation).responses))
      if (Number(status) >= 300) expect(responses).toHaveProperty(nameOf($ref ?? `no reference: ${status}`));
  }
  const contentOf = (name: string, status: string) =>
    new Map(responsesOf(described(find(name)))).get(status)?.content?.['application/json']?.schema;
  expect(contentOf('getPost', '200')).toEqual({ $ref: '#/components/schemas/Post' });
  expect(described(find('pauseProfile')).responses['200']).toEqual({
    $ref: '#/components/responses/ProfileReplayed',
  });
  expect(contentOf('listOrders', '200')).toMatchObject({
    properties: { data: { items: { $ref: '#/components/schemas/Order' } } },
  });
});

test('describes the message of every type of event, and the union of their payloads', () => {
  const { webhooks, components } = document;
  expect(Object.keys(webhooks).toSorted()).toEqual(
    [...eventTypes, 'webhook.challenge', 'webhook.test'].toSorted(),
  );
  const alternatives = components.schemas['Event']?.oneOf?.map(({ $ref }) => nameOf($ref)) ?? [];
  for (const type of eventTypes) {
    const { requestBody, responses } = webhooks[type]?.post ?? {};
    const schema = requestBody?.content['application/json'].schema as { $ref: string } | undefined;
    const name = nameOf(schema?.$ref ?? '');
    expect(alternatives.filter((one) => typesOf(one).includes(type))).toEqual([name]);
    expect(Object.keys(responses ?? {})).toEqual(['2XX']);
  }
  expect(alternatives.flatMap(typesOf).toSorted()).toEqual(eventTypes.toSorted());
});
const typesOf = (name: string) => document.components.schemas[name]?.properties?.type?.enum ?? [];

test('has less than 250 KB, the version of the service, and an operation id of verb and noun for every route', () => {
  expect(Buffer.byteLength(text)).toBeLessThan(250_000);
  expect(document.info.version).toBe('1.2.3');
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
});

test('describes everything in terms of HTTP', () => {
  const mcpTerms = ['mcp', 'wait_seconds', 'idempotency_key', 'agent', 'with a wait'];
  const tools = catalog.flatMap(({ tool }) => (tool === null ? [] : [tool]));
  const mentioned = new RegExp(`\\b(${[...mcpTerms, ...tools].join('|')})\\b`, 'i');
  const texts = [...text.matchAll(/"(?:description|summary|title|detail)":("(?:[^"\\]|\\.)*")/g)].map(
    ([, quoted]) => JSON.parse(quoted ?? '""') as string,
  );
  expect(texts.length).toBeGreaterThan(300);
  expect(texts.filter((one) => mentioned.test(one))).toEqual([]);
});

test('puts the parameters of a read in the URL, lists with commas, and those of a change in the body', () => {
  for (const operation of catalog) {
    const { requestBody } = described(operation);
    const parameters = parametersOf(described(operation));
    if (operation.http.method === 'get') expect(requestBody).toBeUndefined();
    else if (operation.http.method !== 'delete')
      expect(parameters.filter((one) => one.in === 'query')).toEqual([]);
    for (const one of parameters) if (one.schema?.type === 'array') expect(one.explode).toBe(false);
  }
  expect(parametersOf(described(find('listProfiles'))).map((one) => one.name)).toEqual(
    expect.arrayContaining(['limit', 'cursor']),
  );
  const body = described(find('updateProfile')).requestBody?.content['application/json'].schema as {
    properties: object;
  };
  expect(Object.keys(body.properties)).toEqual(expect.arrayContaining(['name', 'metadata']));
  expect(body.properties).not.toHaveProperty('id');
});

test('documents that a change is rejected for a key whose policy is not enforced', () => {
  for (const operation of catalog) {
    const rejection = new Map(responsesOf(described(operation))).get('422')?.description ?? '';
    if (operation.effect !== 'read')
      expect([operation.name, rejection]).toEqual([
        operation.name,
        expect.stringContaining('key.policy_unsupported'),
      ]);
  }
});

test('documents what a body is rejected with also where no body is expected, and a wait that ends unchanged', () => {
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(item))
      expect([path, method, '415' in responses, '413' in responses]).toEqual([
        path,
        method,
        method !== 'get',
        method !== 'get',
      ]);
  const unchanged = new Map(responsesOf(described(find('getPost')))).get('304');
  expect(Object.keys(unchanged?.headers ?? {})).toContain('Preference-Applied');
});

test('offers each header only where it has an effect', () => {
  const refs = (name: string) => described(find(name)).parameters.map((one) => one.$ref);
  expect(refs('createProfile')).toContain('#/components/parameters/IdempotencyKey');
  expect(refs('listProfiles')).not.toContain('#/components/parameters/IdempotencyKey');
  expect(refs('updateProfile')).toContain('#/components/parameters/IfMatch');
  expect(refs('createProfile')).not.toContain('#/components/parameters/IfMatch');
  expect(refs('getPost')).toContain('#/components/parameters/IfNoneMatch');
  expect(described(find('getPost')).responses).toHaveProperty('304');
  expect(refs('updatePost')).not.toContain('#/components/parameters/IfNoneMatch');
  const headers = (name: string) =>
    Object.keys(new Map(responsesOf(described(find(name)))).get('200')?.headers ?? {});
  expect(headers('listProfiles')).toContain('Link');
  expect(headers('getMe')).not.toContain('Link');
  for (const operation of catalog) {
    for (const [status, response] of responsesOf(described(operation))) {
      if (Number(status) < 400) continue;
      expect(response.headers).toHaveProperty('X-Request-Id');
      for (const header of ['RateLimit', 'RateLimit-Policy'])
        expect([status, header in (response.headers ?? {})]).toEqual([status, status !== '401']);
    }
  }
});
