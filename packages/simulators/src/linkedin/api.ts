import type { Bearer } from '../wire/oauth-server.js';
import type { Route, RoutedRequest, Routes } from '../wire/routes.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { ApiWorld } from './network.js';
import type { LinkedInCard, LinkedInComment, LinkedInPost } from './linkedin-store.js';
import { parseLittleText } from './little-text.js';
import { accessDenied, badInput, illegalArgument, linkedInError, notFound, throttled } from './errors.js';
import type { UploadRoutes } from './upload-routes.js';

const TEXT_MAX = 3_000;
const COMMENT_MAX = 1_250;
const ALT_TEXT_MAX = 4_086;
const DUPLICATE_MS = 86_400_000;
const POSTERS = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR', 'DIRECT_SPONSORED_CONTENT_POSTER'];
const VISIBILITIES = ['PUBLIC', 'LOGGED_IN', 'CONNECTIONS'];
const NUMBERS: Readonly<Record<string, number>> = {
  IMPRESSION: 120,
  MEMBERS_REACHED: 90,
  REACTION: 6,
  COMMENT: 3,
  RESHARE: 2,
  LINK_CLICKS: 7,
  POST_SAVE: 4,
  POST_SEND: 1,
  FOLLOWER_GAINED_FROM_CONTENT: 1,
  PROFILE_VIEW_FROM_CONTENT: 2,
  PREMIUM_CTA_CLICKS: 0,
};

type LinkedInRequest = RoutedRequest<Bearer>;
type LinkedInRoute = Route<ApiWorld, Bearer>;

const personOf = ({ account }: Bearer) => `urn:li:person:${account}`;
const pageOf = ({ pages }: ApiWorld, urn: string) =>
  pages.find(({ id }) => urn === `urn:li:organization:${id}`);

/** A comment endpoint; the older one of every app that may post has other permissions. */
type CommentRoute = (suffix: Suffix) => LinkedInRoute;
type Suffix = '' | '_feed';

const mayComment = (world: ApiWorld, { owner, method }: LinkedInRequest, actor: string, suffix: Suffix) =>
  may(world, owner, actor, method === 'GET' ? 'r' : 'w', suffix);
const commentDenied = ({ method }: LinkedInRequest) =>
  accessDenied(`partnerApiSocialActions.${method}.20260901`);

const createComment: CommentRoute = (suffix) => (world, request) => {
  const below = world.books.findBelow(request.params['urn'] ?? '');
  const fields = fieldsOf(request.body);
  const [actor, text] = [textOf(fields['actor']), textOf(fieldsOf(fields['message'])['text'])];
  if (!mayComment(world, request, actor, suffix)) return commentDenied(request);
  if (!below || textOf(fields['object']) === '') return notFound('The thread');
  if (text === '' || text.length > COMMENT_MAX)
    return badInput(400, 'FIELD_LENGTH_TOO_LONG', 'Comment is too long');
  const made = world.books.comment({ actor, text, postUrn: below.urn });
  return { status: 201, json: presentComment(made, request.owner), headers: { 'x-restli-id': made.id } };
};

const listComments: CommentRoute = (suffix) => (world, request) => {
  const { owner, query, params } = request;
  const below = world.books.findBelow(params['urn'] ?? '');
  if (!below) {
    return owner.scopes.some((one) => one.startsWith('r_')) ? notFound('The thread') : commentDenied(request);
  }
  if (!mayComment(world, request, below.author, suffix)) return commentDenied(request);
  const comments = world.books.below(below.urn).map((one) => presentComment(one, owner));
  return pageOfRows(comments, query);
};

const commentAt = ({ books }: ApiWorld, { params }: LinkedInRequest) =>
  books.findComment(`urn:li:comment:(${params['urn']},${params['id']})`);

const readComment: CommentRoute = (suffix) => (world, request) => {
  const { owner, params } = request;
  const below = world.books.findBelow(params['urn'] ?? '');
  const mayRead = below
    ? mayComment(world, request, below.author, suffix)
    : owner.scopes.some((one) => one.startsWith('r_'));
  if (!mayRead) return commentDenied(request);
  const found = commentAt(world, request);
  return found && below ? okResponse(presentComment(found, owner)) : notFound('The comment');
};

const deleteComment: CommentRoute = (suffix) => (world, request) => {
  const { params, query } = request;
  const { books } = world;
  books.findBelow(params['urn'] ?? '');
  if (!mayComment(world, request, query.get('actor') ?? '', suffix)) return commentDenied(request);
  const found = commentAt(world, request);
  if (!found || !books.find(found.postUrn)) return notFound('The comment');
  books.remove(found.urn);
  return { status: 204 };
};

const beginUpload =
  (kind: 'image' | 'video' | 'document'): LinkedInRoute =>
  (world, { body, owner: bearer }) => {
    const owner = textOf(fieldsOf(fieldsOf(body)['initializeUploadRequest'])['owner']);
    return may(world, bearer, owner, 'w')
      ? world.uploads.begin(kind, owner, body)
      : accessDenied(`${kind}s.ACTION-initializeUpload`);
  };

/** The permission to post for oneself does not include reading. */
const readUpload =
  (resource: string): LinkedInRoute =>
  (world, { params, owner: bearer }) => {
    const urn = params['urn'] ?? '';
    const owner = world.uploads.ownerOf(urn) ?? '';
    const isOpen = may(world, bearer, owner, 'r');
    return isOpen || owner === '' ? world.uploads.show(urn) : accessDenied(`${resource}.GET.20260901`);
  };

function finishUpload(world: ApiWorld, { body, owner: bearer }: LinkedInRequest): WireResponse {
  return world.uploads.finish(body, (owner) => may(world, bearer, owner, 'w'));
}

function readNetworkSize(world: ApiWorld, { params, query }: LinkedInRequest): WireResponse {
  const page = pageOf(world, params['urn'] ?? '');
  return page && query.get('edgeType') === 'COMPANY_FOLLOWED_BY_MEMBER'
    ? okResponse({ firstDegreeSize: page.followers })
    : notFound('The network');
}

function readFollowers({ member }: ApiWorld, { owner }: LinkedInRequest): WireResponse {
  return owner.scopes.includes('r_member_profileAnalytics')
    ? okResponse({ elements: [{ memberFollowersCount: member.followers }] })
    : accessDenied('memberFollowersCount.FINDER-me');
}

const COMMENTS = '/socialActions/:urn/comments';
const commentRoutes = (base: string, suffix: Suffix): Routes<ApiWorld, Bearer> => ({
  [`POST ${base}${COMMENTS}`]: createComment(suffix),
  [`GET ${base}${COMMENTS}`]: listComments(suffix),
  [`GET ${base}${COMMENTS}/:id`]: readComment(suffix),
  [`DELETE ${base}${COMMENTS}/:id`]: deleteComment(suffix),
});

/** The LinkedIn API for a logged-in member. */
export const linkedInRoutes: Routes<ApiWorld, Bearer> = {
  'GET /v2/userinfo': readUserInfo,
  'GET /v2/me': readMe,
  // For every app that may post.
  ...commentRoutes('/v2', ''),
  'POST /rest/posts': createPost,
  'GET /rest/posts': listPosts,
  'GET /rest/posts/:urn': onePost,
  'POST /rest/posts/:urn': editPost,
  'DELETE /rest/posts/:urn': onePost,
  'POST /rest/images?action=initializeUpload': beginUpload('image'),
  'POST /rest/documents?action=initializeUpload': beginUpload('document'),
  'POST /rest/videos?action=initializeUpload': beginUpload('video'),
  'POST /rest/videos?action=finalizeUpload': finishUpload,
  'GET /rest/images/:urn': readUpload('images'),
  'GET /rest/documents/:urn': readUpload('documents'),
  'GET /rest/videos/:urn': readUpload('videos'),
  'GET /rest/organizationAcls': listRoles,
  'GET /rest/organizations/:id': readOrganization,
  'GET /rest/organizationalEntityShareStatistics': readStatistics,
  'GET /rest/networkSizes/:urn': readNetworkSize,
  'GET /rest/memberCreatorPostAnalytics': readMemberStatistics,
  'GET /rest/memberFollowersCount': readFollowers,
  // For partners with feed permissions.
  ...commentRoutes('/rest', '_feed'),
};

/** Why a request is not routed at all; null: it is. */
export function refuseLinkedIn({ path, headers }: WireRequest): WireResponse | null {
  if (path === '/v2/userinfo' || path === '/v2/me') return null;
  if (headers['x-restli-protocol-version'] !== '2.0.0') {
    return illegalArgument('Invalid query parameters passed to request');
  }
  const version = textOf(headers['linkedin-version']);
  if (!path.startsWith('/rest/') || version === '202609') return null;
  return version === ''
    ? linkedInError(
        400,
        'A version must be present. Please specify a version by adding the LinkedIn-Version header.',
        { code: 'VERSION_MISSING' },
      )
    : linkedInError(426, `Requested version ${version} is not active`, { code: 'NONEXISTENT_VERSION' });
}

/**
 * Whether the token may read or write for this author: one permission covers the member, another an
 * organization.
 */
function may(world: ApiWorld, bearer: Bearer, author: string, action: 'r' | 'w', suffix: Suffix = '') {
  const has = (kind: string) => bearer.scopes.includes(`${action}_${kind}_social${suffix}`);
  if (author === personOf(bearer)) return has('member');
  const page = pageOf(world, author);
  return page !== undefined && POSTERS.includes(page.role) && has('organization');
}

/** Whether it may read or write for any author. */
const mayAny = ({ scopes }: Bearer, action: 'r' | 'w') =>
  ['member', 'organization'].some((kind) => scopes.includes(`${action}_${kind}_social`));

function createPost(world: ApiWorld, { body, owner: bearer }: LinkedInRequest): WireResponse {
  const { books, now } = world;
  const fields = fieldsOf(body);
  const author = textOf(fields['author']);
  if (!may(world, bearer, author, 'w')) {
    return accessDenied('partnerApiPostsExternal.CREATE.20260901');
  }
  const absent = ['commentary', 'visibility', 'distribution', 'lifecycleState'].find(
    (name) => fields[name] === undefined,
  );
  if (absent !== undefined) return badInput(422, 'MISSING_FIELD', `${absent} is required but missing`);
  const visibility = textOf(fields['visibility']);
  if (!VISIBILITIES.includes(visibility) || (pageOf(world, author) && visibility === 'CONNECTIONS')) {
    return badInput(422, 'INVALID_VALUE_FOR_FIELD', `visibility can't be set to ${visibility}`);
  }
  if (fields['lifecycleState'] !== 'PUBLISHED') return illegalArgument('lifecycleState must be PUBLISHED');
  const little = readCommentary(fields);
  if ('status' in little) return little;
  const content = readContent(world, fieldsOf(fields['content']), author);
  if ('status' in content) return content;
  if (little.shown.trim() === '' && content.files.length === 0 && !content.card) {
    return badInput(422, 'INVALID_VALUE_BLANK_FIELD', "commentary can't be blank");
  }
  const today = books.ever(author).filter(({ createdAt }) => sameDay(createdAt, now()));
  if (today.length >= world.postsPerDay) return throttled;
  const duplicate =
    content.files.length > 0
      ? undefined
      : books.ever(author).find((one) => isTwin(world, one, little.stored, content.card));
  if (world.refusesDuplicates && duplicate) {
    const message = `com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of ${duplicate.urn}`;
    return badInput(422, 'DUPLICATE_POST', 'Duplicate post is detected', message);
  }
  const made = books.post({
    author,
    shown: little.shown,
    commentary: little.stored,
    visibility,
    ...content,
    isReshareDisabled: fields['isReshareDisabledByAuthor'] === true,
  });
  return { status: 201, headers: { 'x-restli-id': made.urn } };
}

function readCommentary(fields: Readonly<Record<string, unknown>>) {
  const little = parseLittleText(textOf(fields['commentary']));
  if (little.shown.length <= TEXT_MAX) return little;
  const description = `commentary length ${little.shown.length} can't exceeded maximum ${TEXT_MAX} length`;
  return badInput(422, 'FIELD_LENGTH_TOO_LONG', description);
}

/** A deleted post counts as well, for a day. */
const isTwin = ({ now }: ApiWorld, one: LinkedInPost, commentary: string, card: LinkedInCard | null) =>
  one.commentary === commentary &&
  one.card?.source === card?.source &&
  one.files.length === 0 &&
  now().getTime() - one.createdAt.getTime() < DUPLICATE_MS;

function readContent(
  { uploads }: ApiWorld,
  content: Readonly<Record<string, unknown>>,
  author: string,
): Pick<LinkedInPost, 'files' | 'card'> | WireResponse {
  if (Object.keys(content).length > 1) return illegalArgument('content is a union of one member');
  if (content['article'] !== undefined) return readCard(uploads, fieldsOf(content['article']), author);
  const multi = content['multiImage'];
  const listed = [multi === undefined ? (content['media'] ?? []) : (fieldsOf(multi)['images'] ?? [])].flat();
  if (multi !== undefined && (listed.length < 2 || listed.length > 20)) {
    return badInput(422, 'INVALID_VALUE_FOR_FIELD', 'multiImage has 2 to 20 images');
  }
  const files: LinkedInPost['files'][number][] = [];
  for (const one of listed.map(fieldsOf)) {
    const urn = textOf(one['id']);
    const [altText, title] = [textOf(one['altText']) || null, textOf(one['title']) || null];
    const file = uploads.chosen(urn, author);
    if (!file || (multi !== undefined && !urn.startsWith('urn:li:image:'))) {
      return badInput(400, 'INVALID_VALUE_FOR_FIELD', `${urn} is no asset that is ready for this post`);
    }
    if ((altText?.length ?? 0) > ALT_TEXT_MAX)
      return badInput(422, 'FIELD_LENGTH_TOO_LONG', 'altText is too long');
    if (urn.startsWith('urn:li:document:') && title === null) {
      return badInput(422, 'MISSING_FIELD', 'title is required but missing');
    }
    files.push({ ...file, altText, title });
  }
  return { files, card: null };
}

function readCard(
  uploads: UploadRoutes,
  article: Readonly<Record<string, unknown>>,
  author: string,
): Pick<LinkedInPost, 'files' | 'card'> | WireResponse {
  const [source = '', title = '', image = ''] = ['source', 'title', 'thumbnail'].map((name) =>
    textOf(article[name]),
  );
  if (source === '' || title === '') return badInput(422, 'MISSING_FIELD', 'source and title are required');
  const thumbnail = image === '' ? null : uploads.chosen(image, author);
  if (image !== '' && !thumbnail) return badInput(400, 'INVALID_VALUE_FOR_FIELD', `${image} is not ready`);
  return { files: [], card: { source, title, description: textOf(article['description']), thumbnail } };
}

/** `viewContext`: the author sees posts that are still processing or failed; readers see published posts. */
const isSeen = ({ books }: ApiWorld, query: URLSearchParams, { urn }: LinkedInPost): boolean =>
  query.get('viewContext') === 'AUTHOR' || books.isPublished(urn);

function listPosts(world: ApiWorld, { query, owner: bearer }: LinkedInRequest): WireResponse {
  const { books } = world;
  const author = query.get('author') ?? '';
  if (!may(world, bearer, author, 'r')) {
    return accessDenied('partnerApiPostsExternal.FINDER-author.20260901');
  }
  if (query.get('q') !== 'author') return illegalArgument('q is required');
  return pageOfRows(
    books
      .of(author)
      .filter((post) => isSeen(world, query, post))
      .map((post) => presentPost(world, post)),
    query,
  );
}

/** A partial update of the commentary: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api */
function editPost(world: ApiWorld, { params, headers, body, owner: bearer }: LinkedInRequest): WireResponse {
  const { books } = world;
  const urn = params['urn'] ?? '';
  if (!mayAny(bearer, 'w')) return accessDenied('partnerApiPostsExternal.PARTIAL_UPDATE.20260901');
  if (textOf(headers['x-restli-method']) !== 'PARTIAL_UPDATE') return illegalArgument('X-RestLi-Method');
  const found = books.find(urn);
  if (!found) return notFound('The post');
  if (!may(world, bearer, found.author, 'w')) return accessDenied(urn);
  const little = readCommentary(fieldsOf(fieldsOf(fieldsOf(body)['patch'])['$set']));
  if ('status' in little) return little;
  books.edit(urn, { shown: little.shown, commentary: little.stored });
  return { status: 204 };
}

function onePost(world: ApiWorld, { method, query, params, owner: bearer }: LinkedInRequest): WireResponse {
  const { books } = world;
  const urn = params['urn'] ?? '';
  const isDelete = method === 'DELETE';
  const found = isDelete || books.isKnown() ? books.find(urn) : null;
  const action = isDelete ? 'w' : 'r';
  if (!mayAny(bearer, action)) {
    return accessDenied(`partnerApiPostsExternal.${isDelete ? 'DELETE' : 'GET'}.20260901`);
  }
  if (!found || (!isDelete && !isSeen(world, query, found)))
    return isDelete ? { status: 204 } : notFound('The post');
  if (!may(world, bearer, found.author, action)) return accessDenied(urn);
  if (!isDelete) return okResponse(presentPost(world, found));
  books.remove(urn);
  return { status: 204 };
}

function presentPost(
  { books }: ApiWorld,
  { urn, author, commentary, visibility, files, card, createdAt, isReshareDisabled }: LinkedInPost,
) {
  const at = createdAt.getTime();
  const shown = files.map((file) => ({
    id: file.urn,
    altText: file.altText ?? undefined,
    title: file.title ?? undefined,
  }));
  const content = card
    ? { article: { ...card, thumbnail: card.thumbnail?.urn } }
    : shown.length > 1
      ? { multiImage: { images: shown } }
      : { media: shown[0] };
  return {
    id: urn,
    author,
    commentary,
    visibility,
    createdAt: at,
    publishedAt: at,
    ...((card || shown.length > 0) && { content }),
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: books.lookAtState(urn),
    isReshareDisabledByAuthor: isReshareDisabled,
  };
}

function presentComment({ id, urn, actor, text, activityUrn, createdAt }: LinkedInComment, bearer: Bearer) {
  const stamp = { actor: personOf(bearer), time: createdAt.getTime() };
  const body = { actor, commentUrn: urn, created: stamp, id, lastModified: stamp };
  return { ...body, message: { attributes: [], text }, object: activityUrn };
}

function listRoles({ pages }: ApiWorld, { query, owner: bearer }: LinkedInRequest): WireResponse {
  if (!bearer.scopes.some((scope) => ['rw_organization_admin', 'r_organization_admin'].includes(scope))) {
    return accessDenied('organizationAcls.FINDER-roleAssignee.20260901');
  }
  if (query.get('q') !== 'roleAssignee') return illegalArgument('q is required');
  const rows = pages.map(({ id, role }) => ({
    role,
    state: 'APPROVED',
    roleAssignee: personOf(bearer),
    organization: `urn:li:organization:${id}`,
  }));
  return pageOfRows(rows, query);
}

function readOrganization({ pages }: ApiWorld, { params, owner: bearer }: LinkedInRequest): WireResponse {
  const id = params['id'] ?? '';
  const page = pages.find((one) => one.id === id);
  if (!page) return notFound('The organization');
  if (page.role !== 'ADMINISTRATOR' || !bearer.scopes.includes('rw_organization_admin')) {
    return accessDenied('organizations.GET.20260901');
  }
  const { name, vanityName } = page;
  return okResponse({ id: Number(id), localizedName: name, vanityName, primaryOrganizationType: 'NONE' });
}

function readStatistics(world: ApiWorld, { query, owner: bearer }: LinkedInRequest): WireResponse {
  const { books } = world;
  const whose = query.get('organizationalEntity') ?? '';
  if (pageOf(world, whose)?.role !== 'ADMINISTRATOR' || !bearer.scopes.includes('rw_organization_admin')) {
    return accessDenied('organizationalEntityShareStatistics.FINDER-organizationalEntity.20260901');
  }
  const requested = (['shares', 'ugcPosts'] as const).flatMap((name) => parseList(query.get(name)));
  const own = requested.filter((urn) => books.find(urn)?.author === whose);
  const elements = own.map((urn) => ({
    totalShareStatistics: {
      uniqueImpressionsCount: 90,
      shareCount: 2,
      clickCount: 7,
      likeCount: 6,
      impressionCount: 120,
      commentCount: books.below(urn).length,
    },
    [urn.startsWith('urn:li:share:') ? 'share' : 'ugcPost']: urn,
    organizationalEntity: whose,
  }));
  return pageOfRows(elements, query);
}

function readMemberStatistics(world: ApiWorld, { query, owner: bearer }: LinkedInRequest): WireResponse {
  const { books } = world;
  if (!bearer.scopes.includes('r_member_postAnalytics')) {
    return accessDenied('memberCreatorPostAnalytics.FINDER-entity.20260901');
  }
  const [, kind, urn = ''] = /^\((share|ugc):(.+)\)$/.exec(query.get('entity') ?? '') ?? [];
  const queryType = query.get('queryType') ?? '';
  if (!kind || query.get('aggregation') !== 'TOTAL') return illegalArgument('entity is a typed URN');
  const number = world.untold.includes(queryType) ? undefined : NUMBERS[queryType];
  if (number === undefined) return illegalArgument(`${queryType} is no queryType`);
  if (books.find(urn)?.author !== personOf(bearer)) return notFound('The post');
  const targetEntity = { [kind]: urn };
  return okResponse({
    paging: { start: 0, count: 10, links: [], total: 1 },
    elements: [{ count: number, metricType: queryType, targetEntity }],
  });
}

function readUserInfo({ member }: ApiWorld, { owner }: LinkedInRequest): WireResponse {
  if (!owner.scopes.includes('openid')) return accessDenied('userinfo.GET.NO_VERSION');
  const { firstName, lastName } = member;
  const names = { name: `${firstName} ${lastName}`, given_name: firstName, family_name: lastName };
  return okResponse({ sub: owner.account, ...names, locale: { country: 'US', language: 'en' } });
}

function readMe({ member }: ApiWorld, { owner }: LinkedInRequest): WireResponse {
  if (!owner.scopes.includes('r_basicprofile')) return accessDenied('me.GET.NO_VERSION');
  const { firstName, lastName, vanityName } = member;
  return okResponse({
    id: owner.account,
    localizedFirstName: firstName,
    localizedLastName: lastName,
    vanityName,
  });
}

const sameDay = (one: Date, other: Date) =>
  one.toISOString().slice(0, 10) === other.toISOString().slice(0, 10);
const parseList = (text: string | null): readonly string[] =>
  /^List\((.*)\)$/.exec(text ?? '')?.[1]?.split(',') ?? [];

function pageOfRows(rows: readonly unknown[], query: URLSearchParams): WireResponse {
  const [start, count] = [Number(query.get('start') ?? 0), Number(query.get('count') ?? 10)];
  if (!(count >= 1 && count <= 100)) return illegalArgument('count is from 1 to 100');
  const elements = rows.slice(start, start + count);
  const links =
    start + count < rows.length
      ? [{ type: 'application/json', rel: 'next', href: `?start=${start + count}&count=${count}` }]
      : [];
  return okResponse({ paging: { start, count, links, total: rows.length }, elements });
}
