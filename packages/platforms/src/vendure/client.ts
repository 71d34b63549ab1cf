import { quotePlatform, refuse, type PlatformRequest, type Session } from '@switchboard/platform-kit';
import { parseResponse } from '@switchboard/platform-kit/parse-response';
import type { z } from 'zod';
import { unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';
import { queries, failures } from './wire.js';

interface GraphqlQuery<Value> {
  readonly query: string;
  readonly answer: z.ZodType<Value>;
}

/** A page of orders with all their related objects stays below this size. */
const BYTES_MAX = 16 * 1024 * 1024;

const FORBIDDEN = 'FORBIDDEN';

/**
 * Refusals of the request itself: nothing has happened. Any other error of a mutation may have occurred after
 * its effect.
 */
const REFUSAL_CODES = new Set([
  'BAD_USER_INPUT',
  'USER_INPUT_ERROR',
  'ENTITY_NOT_FOUND',
  'GRAPHQL_VALIDATION_FAILED',
]);

/**
 * Sends a request to the admin API. It reports nearly everything with status 200, and missing permissions
 * with the same code as missing authentication.
 */
export async function requestGraphql<Value>(
  session: Session,
  question: GraphqlQuery<Value>,
  variables: Readonly<Record<string, unknown>> = {},
  effect: PlatformRequest['effect'] = 'read',
): AdapterResult<Value> {
  const outcome = await session.request({
    method: 'POST',
    path: '/admin-api',
    json: { query: question.query, variables },
    effect,
    maxBytes: BYTES_MAX,
  });
  if (!outcome.ok) return outcome;
  const parsed = outcome.value.json as { data?: unknown; errors?: unknown } | undefined;
  const errors = failures.safeParse(parsed?.errors).data;
  if (errors?.[0]) return toRefusal(session, errors[0], effect);
  const read = parseResponse(question.answer, parsed?.data);
  return read.success ? { ok: true, value: read.data } : unreadableResponse(manifest, effect);
}

async function toRefusal(
  session: Session,
  { message, path, extensions }: z.infer<typeof failures>[number],
  effect: PlatformRequest['effect'],
): AdapterResult<never> {
  // An error below the mutation concerns the created object.
  if (effect === 'write' && (path?.length ?? 0) > 1) return unreadableResponse(manifest, effect);
  const code = extensions?.code ?? undefined;
  const platform = quotePlatform(manifest.name, message, code);
  if (code === FORBIDDEN) return toPermissionRefusal(session, platform);
  if (code === undefined || !REFUSAL_CODES.has(code)) return unreadableResponse(manifest, effect);
  return refuse('platform.refused', 'Vendure refused the request. See `platform` for its error message.', {
    platform,
  });
}

/** A query that every key may run shows whether the key itself is refused, or only this request. */
async function toPermissionRefusal(
  session: Session,
  platform: ReturnType<typeof quotePlatform>,
): AdapterResult<never> {
  const outcome = await session.request({
    method: 'POST',
    path: '/admin-api',
    json: { query: queries.settings.query },
    effect: 'read',
    isCredentialRejected: ({ json }) => codeIn(json) === FORBIDDEN,
  });
  if (!outcome.ok) return outcome;
  return refuse(
    'platform.permission_missing',
    'The API key lacks the permission. Extend its role in Vendure.',
    {
      platform,
    },
  );
}

const codeIn = (json: unknown): string | undefined =>
  failures.safeParse((json as { errors?: unknown } | undefined)?.errors).data?.[0]?.extensions?.code ??
  undefined;
