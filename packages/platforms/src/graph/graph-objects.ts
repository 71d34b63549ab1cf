import { ok, refuse, type Refusal, type PlatformFailureCode, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { requestGraph, isMissing, type GraphError } from './graph.js';

const pathOf = (id: string) => `/${encodeURIComponent(id)}`;

export async function findObject<Seen>(
  session: Session,
  name: string,
  id: string,
  fields: string,
  schema: z.ZodType<Seen>,
): AdapterResult<Seen | null> {
  return requestGraph(session, name, { path: pathOf(id), query: { fields } }, schema, (error) =>
    isMissing(error) ? ok(null) : undefined,
  );
}

/**
 * Meta reports an object as missing also when this login may not change it: only an object that cannot be
 * read either is gone.
 */
export async function confirmDeleted(session: Session, name: string, id: string): AdapterResult<null> {
  const seen = await findObject(session, name, id, 'id', z.unknown());
  if (!seen.ok) return seen;
  return seen.value === null
    ? ok(null)
    : refuse('platform.permission_missing', `The account owner has not granted this permission at ${name}.`);
}

/**
 * Whether a post or a comment of the account exists. Meta reports one that it hides, such as an archived one, like
 * one that was removed.
 */
export async function objectExists(session: Session, name: string, id: string): AdapterResult<true> {
  const seen = await findObject(session, name, id, 'id', z.object({ id: z.string() }));
  if (!seen.ok) return seen;
  return seen.value === null
    ? refuse('platform.outcome_unknown', `${name} does not report whether the post was removed or is hidden.`)
    : ok(true);
}

/** Removes a post or a comment of the account; one that no longer exists counts as removed. */
export async function removeObject(
  session: Session,
  name: string,
  id: string,
  onRefusal: (error: GraphError) => Refusal<PlatformFailureCode> | undefined = () => undefined,
): AdapterResult<undefined> {
  const request = { method: 'DELETE', path: pathOf(id), effect: 'idempotent' } as const;
  const removed = await requestGraph(session, name, request, z.unknown(), (error) =>
    isMissing(error) ? ok(null) : onRefusal(error),
  );
  if (!removed.ok) return removed;
  const gone = removed.value === null ? await confirmDeleted(session, name, id) : ok();
  return gone.ok ? ok() : gone;
}

/** Replaces fields of a post or a comment of the account; one that no longer exists is not created again. */
export async function editObject(
  session: Session,
  name: string,
  id: string,
  form: Readonly<Record<string, string>>,
): AdapterResult<undefined> {
  const request = { method: 'POST', path: pathOf(id), form, effect: 'write' } as const;
  const edited = await requestGraph(session, name, request, z.object({ success: z.literal(true) }), (error) =>
    isMissing(error) ? ok(null) : undefined,
  );
  if (!edited.ok) return edited;
  if (edited.value !== null) return ok();
  const gone = await confirmDeleted(session, name, id);
  return gone.ok ? refuse('platform.refused', `${name} no longer has the post.`) : gone;
}
