import { expect, test } from '@jest/globals';
import { readApiDocument } from './api-document.js';
import type { BuiltRequest } from './build-request.js';
import { responseValidator } from './response-validator.js';
import type { HttpResponse } from './send-request.js';

const problemFields = ['type', 'title', 'status', 'detail', 'code', 'request_id'];
const document = readApiDocument({
  paths: {
    '/things': {
      post: {
        operationId: 'createThing',
        parameters: [],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { name: { type: 'string' } },
                additionalProperties: false,
              },
            },
          },
        },
        responses: {
          201: {
            description: 'Created.',
            headers: { ETag: { schema: { type: 'string' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          422: { $ref: '#/components/responses/Refused' },
          500: { $ref: '#/components/responses/Refused' },
          503: { $ref: '#/components/responses/Refused', description: '`platform.unavailable`' },
        },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: { id: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
        required: ['id'],
      },
      Problem: {
        type: 'object',
        properties: Object.fromEntries(problemFields.map((name) => [name, {}])),
        required: problemFields,
      },
    },
    responses: {
      Refused: {
        description: '`thing.refused`, `internal.error`',
        headers: { 'X-Request-Id': { schema: { type: 'string', maxLength: 9 } } },
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  },
});
const [operation] = document.operations;
const { validate } = responseValidator(document);

const request = (json: unknown): BuiltRequest => ({
  http: { method: 'POST', path: '/things', headers: {}, body: null },
  query: {},
  json,
  expectedStatuses: null,
  idempotencyKey: null,
});
const created: HttpResponse = {
  status: 201,
  headers: { 'x-request-id': 'req_1', 'content-type': 'application/json; charset=utf-8' },
  text: '{"id":"1","at":"2026-11-23T09:00:00.000Z"}',
};
const refused = (status: number, code: string): HttpResponse => ({
  status,
  headers: { 'x-request-id': 'req_1', 'content-type': 'application/problem+json' },
  text: JSON.stringify({ type: 'urn:x', title: 'x', status, detail: 'x', code, request_id: 'req_1' }),
});
interface Circumstances {
  readonly json?: unknown;
  readonly mayFail?: boolean;
}
const kindsOf = (response: HttpResponse, { json = { name: 'x' }, mayFail = false }: Circumstances = {}) =>
  operation ? validate(operation, request(json), response, { mayFail }).map(({ kind }) => kind) : null;

test('accepts what the document describes', () => {
  expect(kindsOf(created)).toEqual([]);
  expect(kindsOf(refused(422, 'thing.refused'))).toEqual([]);
});

test.each([
  ['undocumented status', { ...created, status: 200 }],
  ['undocumented code', refused(422, 'thing.unknown')],
  ['schema mismatch', { ...created, text: '{"id":1}' }],
  ['schema mismatch', { ...created, text: '{"id":"1","more":true}' }],
  ['schema mismatch', { ...created, text: '{"id":"1","at":"2026-11-23T09:00:00+01:00"}' }],
  ['schema mismatch', { ...created, text: '{"id"' }],
  ['header mismatch', { ...created, headers: { ...created.headers, 'content-type': 'text/html' } }],
  ['header mismatch', { ...created, headers: { 'content-type': 'application/json' } }],
  // Documented for every failure, and so for every response.
  ['header mismatch', { ...created, headers: { ...created.headers, 'x-request-id': 'req_1234567' } }],
  [
    'header mismatch',
    Object.assign(refused(422, 'thing.refused'), { headers: { etag: '"1"', ...refused(422, '').headers } }),
  ],
  ['server error', refused(500, 'internal.error')],
  ['server error', refused(503, 'platform.unavailable')],
])('finds: %s', (kind, response) => expect(kindsOf(response)).toEqual([kind]));

test('accepts a documented failure of a platform only while a platform fails, and an internal error never', () => {
  expect(kindsOf(refused(503, 'platform.unavailable'), { mayFail: true })).toEqual([]);
  expect(kindsOf(refused(503, 'internal.error'), { mayFail: true })).toEqual(['server error']);
  expect(kindsOf(refused(500, 'internal.error'), { mayFail: true })).toEqual(['server error']);
});

test('finds a success for a body that the document rejects', () => {
  for (const json of [{ name: 1 }, { colour: 'red' }, []])
    expect(kindsOf(created, { json })).toEqual(['invalid request accepted']);
});
