import {
  linkedInEndedToken,
  linkedInNetwork,
  LINKEDIN_SCOPES,
  type LinkedInOptions,
} from '@switchboard/simulators';
import { startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';

/** LinkedIn as documented, with a page, except for its refusal of duplicate texts. */
export async function startWorld(options: LinkedInOptions & { readonly scopes?: readonly string[] } = {}) {
  const network = linkedInNetwork({
    now: tickingClock(),
    refusesDuplicates: false,
    postsPerDay: Infinity,
    ...options,
  });
  const [page] = network.pages;
  const all = options.scopes ?? LINKEDIN_SCOPES[options.product ?? 'community'];
  const memberId = network.member.id;
  const world = await startSimulator({
    account: {
      id: `urn:li:organization:${page?.id}`,
      username: null,
      name: null,
      avatarUrl: null,
      url: null,
    },
    expiredTokenResponse: linkedInEndedToken,
    simulator: network,
    owner: { account: memberId, scopes: all },
    weakOwner: { account: memberId, scopes: ['r_basicprofile'] },
    effects: () => network.books.createdCount(),
    textOf: (urn) => network.books.find(urn)?.shown ?? network.books.findComment(urn)?.text ?? '',
    parentOf: (urn) => network.books.findComment(urn)?.postUrn ?? null,
    mediaOf: (urn) =>
      (network.books.find(urn)?.files ?? []).map(({ type, sha256, altText, title }) => ({
        type,
        sha256,
        // A document without a title has that of its file.
        altText: altText ?? (title?.endsWith('.pdf') ? null : title),
      })),
    cardOf(urn) {
      const card = network.books.find(urn)?.card;
      return card ? { url: card.source, title: card.title, description: card.description } : null;
    },
  });
  return {
    ...world,
    network,
    emptyEditResponse:
      'A partial update returns 204. https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api',
    edits: () => network.books.editCount(),
    missingMetrics: ['saves'],
    optionDefaults: { visibility: 'PUBLIC' },
    // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api
    wireFields: { no_reposts: 'isReshareDisabledByAuthor' },
    // Pages have no connections.
    refusedOfAccount: ['visibility=CONNECTIONS'],
    videosHaveNoAltText: true,
    // A text-only post has no content, and one with an article or a poll no media.
    omittedFields: ['elements.*.content', 'elements.*.content.media'],
  } satisfies ExtendedWorld;
}
