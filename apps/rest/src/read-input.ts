import { failure, refuseWith, type Result } from '@switchboard/domain';
import type { Operation } from '@switchboard/operations';
import type { Request } from 'express';
import { queryOf } from './query-of.js';
import { reviveQuery } from './revive-query.js';

/** Merges body, query and path. A parameter of the path may not be set a second time. */
export async function readInput(
  operation: Operation,
  request: Request,
  readBody: () => Promise<Result<Record<string, unknown>>>,
): Promise<Result<unknown>> {
  const body = operation.http.method === 'get' ? { ok: true as const, value: {} } : await readBody();
  if (!body.ok) return body;
  const query = reviveQuery(operation, queryOf(request.originalUrl));
  const misplaced = takesQuery(request) ? [] : Object.keys(query);
  if (misplaced.length > 0) return refuseFields(misplaced, 'must be sent in the body');
  const duplicateNames = Object.keys(request.params).filter(
    (name) => Object.hasOwn(body.value, name) || Object.hasOwn(query, name),
  );
  if (duplicateNames.length > 0) return refuseFields(duplicateNames, 'is already set by the path');
  return { ok: true, value: { ...body.value, ...query, ...request.params } };
}

/** A change takes its input in the body: URLs appear in logs on the way, and could contradict the body. */
const takesQuery = ({ method }: Request) => ['GET', 'HEAD', 'DELETE'].includes(method);

const refuseFields = (paths: readonly string[], message: string) =>
  refuseWith(
    failure('request.invalid', `${paths.join(', ')}: ${message}.`, {
      problems: paths.map((path) => ({ path, code: 'field.unknown', message })),
    }),
  );
