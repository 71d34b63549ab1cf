import { ok, refuse } from '@switchboard/domain';
import {
  createKey,
  unrestrictedPolicy,
  type ApiKey,
  type KeyPolicy,
  type Scope,
} from '@switchboard/domain/access';
import { auditCounter } from '@switchboard/domain/audit';
import type { Ports } from '@switchboard/domain/ports';
import { createTestEnvironment } from '@switchboard/domain/testing';
import { z } from 'zod';
import type { Operation } from '../define.js';
import { createDispatcher, type CallRecord, type Envelope } from '../pipeline/dispatch.js';

/** Dispatch over in-memory storage, with a key that holds every scope a test needs. */
export async function setupDispatch(socials?: Parameters<typeof createTestEnvironment>[0]) {
  const it = await createTestEnvironment(socials);
  const records: CallRecord[] = [];
  const thrown: unknown[] = [];
  const used: ApiKey[] = [];
  /** The ports that dispatch receives; a test may break one. */
  const counter = auditCounter(it.ports);
  const ports: { -readonly [Name in keyof Ports]: Ports[Name] } = { ...it.ports, auditCounter: counter };
  const dispatch = createDispatcher(ports, {
    onCall: (record) => records.push(record),
    onError: (error) => thrown.push(error),
    onKeyUsed: (key) => used.push(key),
  });

  /** With a stored policy, which may have expired since. */
  async function key(scopes: readonly Scope[], policy: Partial<KeyPolicy> = {}) {
    const created = await it.atomic((tx) => createKey(tx, it.operator(), { name: 'test', scopes }));
    if (!created.ok) throw new Error(created.failure.code);
    const stored = await it.repositories.apiKeys.update(it.workspace.id, created.value.key.id, {
      policy: { ...unrestrictedPolicy, ...policy },
    });
    if (!stored) throw new Error('the key that was just created is missing');
    return { key: stored, authorization: `Bearer ${created.value.token.reveal()}` };
  }
  /** A key of the same family, as a rotation creates it. */
  async function sibling(of: ApiKey, policy: Partial<KeyPolicy>) {
    const { token, publicId, hash } = it.ports.keyHasher.generate();
    const siblingKey: ApiKey = {
      ...of,
      id: it.ids.next('key'),
      publicId,
      policy: { ...of.policy, ...policy },
    };
    await it.repositories.apiKeys.insert(siblingKey, hash);
    return `Bearer ${token.reveal()}`;
  }
  const { authorization } = await key(['profiles:read', 'profiles:write']);
  let count = 0;
  const call = (operation: Operation, input: unknown, over: Partial<Envelope> = {}) =>
    dispatch(operation, {
      surface: 'rest',
      requestId: `req_${++count}`,
      authorization,
      address: '127.0.0.1',
      readInput: async () => ok(input),
      signal: new AbortController().signal,
      ...over,
    });
  return {
    ...it,
    ports,
    counter,
    records,
    thrown,
    used,
    key,
    sibling,
    authorization,
    dispatch,
    call,
    names: async () =>
      (await it.repositories.profiles.list(it.workspace.id, { reach: null }, { limit: 100 })).items
        .filter(({ isDefault }) => !isDefault)
        .map(({ name }) => name),
    audit: () =>
      it
        .auditRows()
        .filter(({ action }) => action !== 'createKey')
        .map(({ action, outcome }) => `${action} ${outcome}`),
  };
}

export type DispatchFixture = Awaited<ReturnType<typeof setupDispatch>>;

const operationDefaults = {
  tool: null,
  summary: '',
  guidance: '',
  staysLocal: false,
  toolset: 'admin',
  failures: [],
  example: { input: {}, output: {} },
  csv: null,
  sentence: () => '',
  settling: null,
  waitSeconds: 0,
  replaySettling: null,
  idempotent: true,
  etag: null,
  object: null,
  replayed: null,
  writesOwnAuditRow: false,
  confirm: null,
  onRefusal: null,
  prepareCall: null,
  redact: null,
  oneTimeFields: [],
  body: 'json',
} as const;
const input = z.strictObject({ name: z.string(), some_number: z.int().optional() });

/** An operation that creates a profile of the given name in one transaction, unless `work` overrides it. */
export function makeThing(over: Partial<Operation> = {}): Operation {
  return {
    ...operationDefaults,
    name: 'makeThing',
    scope: 'profiles:write',
    effect: 'create',
    boundary: 'atomic',
    http: { method: 'post', path: '/things', status: 201 },
    input,
    mcpInput: input,
    compact: null,
    toolExample: null,
    untrustedFields: null,
    svg: null,
    image: null,
    output: z.object({ id: z.string(), name: z.string(), profile_id: z.string().optional() }),
    useCase: insertProfile,
    present: (profile: { id: string; name: string }) => ({
      id: profile.id,
      name: profile.name,
      secret: 'never sent',
    }),
    ...over,
  };
}

export const readThing = (over: Partial<Operation> = {}): Operation =>
  makeThing({
    name: 'readThing',
    scope: 'profiles:read',
    effect: 'read',
    boundary: 'read',
    http: { method: 'get', path: '/things', status: 200 },
    idempotent: false,
    useCase: (async (_ports: never, _call: never, { name }: { name: string }) =>
      ok({ id: 'thing', name })) as never,
    ...over,
  });

export const insertProfile: Operation['useCase'] = async (
  ports: { profiles: { insert(profile: unknown): Promise<void> }; ids: Ports['ids']; clock: Ports['clock'] },
  call: { workspaceId: string },
  { name }: { name: string },
) => {
  if (name === 'refused') return refuse('profile.in_use', 'It is in use.');
  const profile = {
    id: ports.ids.next('prf'),
    workspaceId: call.workspaceId,
    name,
    externalId: null,
    timezone: 'UTC',
    metadata: {},
    isDefault: false,
    pause: null,
    createdAt: ports.clock.now(),
    version: 1,
  };
  await ports.profiles.insert(profile);
  return ok(profile);
};
