import { startSimulator } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { mediaRules } from '../manifest.js';
import { FILE_BYTES_MAX, repository } from './repository.js';
import { publishedContentOf } from './published-content-of.js';

const DID = 'did:plc:switchboardtestaccount00';

const unauthorized = { status: 401, json: { error: 'AuthMissing', message: 'Authentication Required' } };
const scopeMissing = { status: 403, json: { error: 'ScopeMissingError', message: 'Missing required scope' } };

/** A server that responds as the PDS was observed to (NOTES.md), with an app view and a ledger of posts. */
export async function startWorld() {
  const handles = new Map([['alice.test', 'did:plc:alice']]);
  const repo = repository(DID, handles);
  const world = await startSimulator({
    account: {
      id: DID,
      username: 'test.example',
      name: null,
      avatarUrl: null,
      url: null,
      mediaLimits: { ...mediaRules, videos: { ...mediaRules.videos, maxBytes: FILE_BYTES_MAX } },
    },
    expiredTokenResponse: { status: 400, json: { error: 'ExpiredToken', message: 'Token has expired' } },
    simulator: {
      respondAs(request, owner) {
        if (owner === null) return unauthorized;
        const needsScope = !/(getSession|describeServer)$/.test(request.path);
        return owner === 'weak' && needsScope ? scopeMissing : repo.call(request);
      },
    },
    owner: 'owner',
    weakOwner: 'weak',
    effects: () => repo.created(),
    ...publishedContentOf(repo),
  });
  return {
    sharedAccountReason: 'A DID names one account wherever its server is (atproto.com/specs/did).',
    ...world,
    // Whether the server knew the lexicon (com.atproto.repo.putRecord): the record is stored either way.
    unrelatedStates: ['validationStatus'],
    /** The handles that resolve, with their DIDs. */
    handles,
    /** The stored record, by the post's URI. */
    recordOf: (uri: string): Record<string, unknown> | undefined => repo.recordOf(uri),
    /** How many files have been uploaded. */
    uploads: () => repo.uploads(),
    /** A file by its content ID. */
    fileOf: (cid: string): Uint8Array | undefined => repo.fileOf(cid),
    collectGarbage: () => repo.collectGarbage(),
  } satisfies ExtendedWorld;
}
