import { startSimulator } from '../../kit/testing/simulator.js';
import type { World } from '../../kit/testing/world.js';
import { repository } from './repository.js';

const DID = 'did:plc:switchboardtestaccount00';

export interface BlueskyWorld extends World {
  /** The record as it was written, by the post's address. */
  recordOf(uri: string): Record<string, unknown> | undefined;
  /** Handles that lead somewhere, and where. */
  readonly handles: Map<string, string>;
}

/** A server that answers as the PDS was seen to (NOTES.md), with an app view beside it and a ledger of posts. */
export async function startWorld(): Promise<BlueskyWorld> {
  const handles = new Map([['alice.test', 'did:plc:alice']]);
  const repo = repository(DID, handles);
  const world = await startSimulator({
    account: { id: DID, username: 'test.example', name: null, avatarUrl: null, url: null },
    expired: { status: 400, json: { error: 'ExpiredToken', message: 'Token has expired' } },
    unknown: { status: 401, json: { error: 'AuthMissing', message: 'Authentication Required' } },
    weak: ({ path }) =>
      path.endsWith('getSession')
        ? null
        : { status: 403, json: { error: 'ScopeMissingError', message: 'Missing required scope' } },
    call: ({ path, query, body }) => repo.call(path, query, body),
    effects: () => repo.created(),
    textOf: (uri) => String(repo.recordOf(uri)?.['text']),
  });
  return { ...world, handles, recordOf: (uri) => repo.recordOf(uri) };
}
