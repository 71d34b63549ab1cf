import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { asObject, asText, type JsonObject } from '../support/json.js';
import type { ApiDocument, ApiOperation, ApiResponse, JsonSchema } from './api-document.js';
import { closeObjects, qualifyReferences } from './close-objects.js';
import { formats } from './formats.js';
import type { BuiltRequest } from './build-request.js';
import type { HttpResponse } from './send-request.js';

export type ViolationKind =
  | 'server error'
  | 'undocumented status'
  | 'undocumented code'
  | 'schema mismatch'
  | 'header mismatch'
  | 'invalid request accepted';

export interface Violation {
  readonly kind: ViolationKind;
  readonly message: string;
}

export interface ResponseValidator {
  /** `mayFail`: a platform was made to fail, so that the documented 502 and 503 are correct. */
  validate(
    operation: ApiOperation,
    request: BuiltRequest,
    response: HttpResponse,
    options?: { readonly mayFail?: boolean },
  ): readonly Violation[];
  /** Whether the document allows the request's JSON body; null without one. */
  allowsBody(operation: ApiOperation, request: BuiltRequest): boolean | null;
}

/** The codes of failures that a platform causes. */
const PLATFORM_CODES = /^(platform\.|orders\.all_sources_failed$)/;
/** The codes of requests whose route or method does not exist, which no operation documents. */
const ROUTE_CODES = ['route.not_found', 'route.method_not_allowed', 'request.invalid'];

export function responseValidator(document: ApiDocument): ResponseValidator {
  const responses = new Ajv2020({ strict: false, formats, logger: false });
  responses.addSchema({ $id: 'responses', ...asObject(closeObjects(document.json, 'responses')) });
  // The service may accept more spellings of a time than it returns.
  const requests = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  requests.addSchema({ $id: 'requests', ...asObject(qualifyReferences(document.json, 'requests')) });
  const problem = responses.compile({ $ref: 'responses#/components/schemas/Problem' });
  const compiled = new Map<JsonSchema, ValidateFunction>();
  const validatorOf = (ajv: Ajv2020, schema: JsonSchema, prepare: (schema: JsonSchema) => JsonObject) => {
    const known = compiled.get(schema) ?? ajv.compile(prepare(schema));
    compiled.set(schema, known);
    return known;
  };
  const mismatch = (validate: ValidateFunction, value: unknown): string | null => {
    if (validate(value)) return null;
    const [error] = validate.errors ?? [];
    const extra = (error?.params as JsonObject | undefined)?.['additionalProperty'];
    return `${error?.instancePath || 'the body'} ${error?.message ?? 'is invalid'}${extra === undefined ? '' : ` (${asText(extra)})`}`;
  };

  const allowsBody = (operation: ApiOperation, { json }: BuiltRequest): boolean | null => {
    const schema = operation.bodies.get('application/json');
    if (json === undefined || !schema) return null;
    // As the service receives it.
    const received: unknown = JSON.parse(JSON.stringify(json));
    return validatorOf(requests, schema, (one) => qualifyReferences(one, 'requests') as JsonObject)(received);
  };

  function validateContent(response: HttpResponse, content: ApiResponse['content']): readonly Violation[] {
    const { text, headers } = response;
    if (content.size === 0)
      return text === '' ? [] : [{ kind: 'schema mismatch', message: 'The response has a body.' }];
    const type = headers['content-type']?.split(';', 1).join().trim() ?? '';
    const schema = content.get(type);
    if (!schema) return [{ kind: 'header mismatch', message: `The content type is ${type || 'missing'}.` }];
    const json = /\bjson\b/.test(type) ? parseJson(text) : text;
    if (json === undefined) return [{ kind: 'schema mismatch', message: 'The body is not JSON.' }];
    const message = mismatch(
      validatorOf(responses, schema, (one) => closeObjects(one, 'responses') as JsonObject),
      json,
    );
    return message === null ? [] : [{ kind: 'schema mismatch', message }];
  }

  /** Headers that are documented anywhere are documented where they occur, and satisfy their schema. */
  function validateHeaders(
    { headers }: HttpResponse,
    documented: ReadonlyMap<string, JsonSchema>,
  ): readonly Violation[] {
    const violations: Violation[] = [];
    const fail = (message: string) => violations.push({ kind: 'header mismatch', message });
    for (const name of allHeaders) {
      const value = headers[name];
      if (value === undefined) continue;
      const schema = documented.get(name) ?? commonHeaders.get(name);
      if (!schema) fail(`${name} is not documented for this status.`);
      else {
        const typed = schema['type'] === 'integer' ? Number(value) : String(value);
        const message = mismatch(
          validatorOf(responses, schema, (one) => one),
          typed,
        );
        if (message !== null) fail(`${name} ${message}`);
      }
    }
    if (headers['x-request-id'] === undefined) fail('x-request-id is missing.');
    return violations;
  }
  const allHeaders = new Set(
    document.operations.flatMap(({ responses: all }) =>
      [...all.values()].flatMap((one) => [...one.headers.keys()]),
    ),
  );

  /** Those of every failure with a valid key are those of every response: a success does not repeat them. */
  const failureHeaders = document.operations.flatMap(({ responses: all }) =>
    [...all].flatMap(([status, { headers }]) => (status >= 400 && status !== 401 ? [headers] : [])),
  );
  const [first = new Map<string, JsonSchema>()] = failureHeaders;
  const commonHeaders = new Map(
    [...first].filter(([name]) => failureHeaders.every((headers) => headers.has(name))),
  );

  function validateProblem(
    { status, headers, text }: HttpResponse,
    isDocumented: (code: string) => boolean,
  ): readonly Violation[] {
    const json = asObject(parseJson(text) ?? {});
    const message = mismatch(problem, json);
    if (message !== null) return [{ kind: 'schema mismatch', message }];
    const violations: Violation[] = [];
    if (json['status'] !== status)
      violations.push({ kind: 'schema mismatch', message: `status is ${String(json['status'])}` });
    if (json['request_id'] !== headers['x-request-id'])
      violations.push({ kind: 'header mismatch', message: 'x-request-id differs from request_id.' });
    const code = asText(json['code']);
    if (!isDocumented(code)) violations.push({ kind: 'undocumented code', message: `${status} ${code}` });
    return violations;
  }

  return {
    allowsBody,
    validate(operation, request, response, { mayFail = false } = {}) {
      const { status, headers, text } = response;
      const code = String(asObject(parseJson(text) ?? {})['code']);
      const described = operation.responses.get(status);
      if (status >= 500 && !(mayFail && described && status !== 500 && PLATFORM_CODES.test(code)))
        return [{ kind: 'server error', message: `${status} ${code}` }];
      if (request.expectedStatuses) {
        if (!request.expectedStatuses.includes(status) && !described)
          return [{ kind: 'undocumented status', message: `${status} ${code}` }];
        if (status === 405 && headers.allow === undefined)
          return [{ kind: 'header mismatch', message: 'allow is missing.' }];
        if (status === 404 || status === 405)
          return validateProblem(
            response,
            (one) => ROUTE_CODES.includes(one) || described?.description.includes(`\`${one}\``) === true,
          );
      }
      if (!described) return [{ kind: 'undocumented status', message: `${status} ${code}` }];
      const accepted =
        status < 300 &&
        headers['idempotency-replayed'] === undefined &&
        allowsBody(operation, request) === false;
      return [
        ...validateContent(response, described.content),
        ...validateHeaders(response, described.headers),
        ...(status >= 400
          ? validateProblem(response, (one) => described.description.includes(`\`${one}\``))
          : []),
        ...(accepted
          ? [
              {
                kind: 'invalid request accepted',
                message: `${status} for a body that the schema rejects`,
              } as const,
            ]
          : []),
      ];
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
