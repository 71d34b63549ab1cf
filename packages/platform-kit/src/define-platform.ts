import { connectSchemes, permissionsOf } from '@switchboard/domain/connections';
import type { Ability, ConnectMethod, KeyFormFacts, Manifest, Platform } from '@switchboard/domain/ports';
import { API_VERSION } from './api-version.js';

const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** Names of origins whose variables belong to other fields of the manifest. */
const RESERVED_ORIGINS = ['auth', 'upload', 'analytics'];
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const abilities: readonly Ability[] = ['publishing', 'analytics', 'orders', 'refunds'];

/** The default export of an adapter: a platform, and the version of the kit that it was written for. */
export interface DefinedPlatform extends Platform {
  readonly apiVersion: string;
}

/**
 * Checks that facts and abilities agree when the module is loaded: a platform that contradicts itself never
 * starts.
 */
export function definePlatform(platform: Platform): DefinedPlatform {
  const problems = findContradictions(platform);
  if (problems.length > 0) {
    throw new Error(`The platform ${platform.manifest.id} contradicts itself: ${problems.join('; ')}`);
  }
  return Object.freeze({ ...platform, apiVersion: API_VERSION });
}

export function findContradictions(platform: Platform): readonly string[] {
  const { manifest } = platform;
  return [
    ...abilities.flatMap((ability) => checkPermissions(platform, ability)),
    ...checkFacts(platform),
    ...checkPublishingFacts(platform),
    ...checkConnectMethods(manifest),
    ...checkNames(manifest),
  ];
}

function checkPermissions({ manifest, ...platform }: Platform, ability: Ability): string[] {
  const has = platform[ability] !== undefined;
  const named = manifest.permissions[ability];
  if (has && named === undefined) return [`permissions for ${ability} are missing`];
  if (!has && named !== undefined) return [`it names permissions for ${ability}, which it lacks`];
  return [];
}

const checkAgreement = (has: boolean, says: boolean, what: string): string[] =>
  has === says
    ? []
    : [has ? `it has ${what} and no facts about it` : `it has facts about ${what}, which it lacks`];

function checkFacts({ manifest, publishing, analytics, orders, refunds }: Platform): string[] {
  const subjects = new Set(manifest.metrics.map((fact) => fact.subject));
  return [
    ...checkAgreement(publishing !== undefined, manifest.text !== null, 'publishing'),
    ...(analytics && !analytics.ofPosts && !analytics.ofAccount && !analytics.ofDays
      ? ['it has analytics of neither posts nor the account']
      : []),
    ...checkAgreement(analytics?.ofPosts !== undefined, subjects.has('post'), 'analytics of posts'),
    ...checkAgreement(
      analytics?.ofAccount !== undefined || analytics?.ofDays !== undefined,
      subjects.has('account'),
      'analytics of the account',
    ),
    ...checkAgreement(
      analytics?.listPosts !== undefined,
      manifest.postList !== null,
      'a list of the account’s posts',
    ),
    ...checkAgreement(refunds !== undefined, manifest.refunds !== null, 'refunds'),
    ...(refunds && !orders ? ['it refunds orders that it cannot read'] : []),
    ...(manifest.kind === 'commerce' && !orders ? ['it is a store without orders'] : []),
    ...(orders?.webhooks?.connectMethods ?? [])
      .filter((name) => !manifest.connect.some(({ id }) => id === name))
      .map((name) => `it registers webhooks with an unknown connect method ${name}`),
  ];
}

function checkPublishingFacts({ manifest, publishing }: Platform): string[] {
  const { options, media, title, thread, firstComment, linkCards } = manifest;
  const keeps = manifest.connect.filter(({ supportsUnpublish }) => supportsUnpublish === false);
  const { images, videos, documents } = media ?? {};
  if (!publishing) {
    const named = { options: options.length > 0, media, title, thread, firstComment, linkCards };
    return Object.entries(named).flatMap(([what, says]) =>
      says ? [`it has ${what} and cannot publish`] : [],
    );
  }
  return [
    ...(keeps.length > 0 && (!publishing.remove || keeps.length === manifest.connect.length)
      ? ['all or none of its connect methods must support unpublishing']
      : []),
    ...((publishing.isEdited || publishing.checkEdit) && !publishing.edit
      ? ['it checks edits and cannot edit']
      : []),
    ...options
      .filter(({ type, choices }) => type === 'choice' && !choices && !publishing.options)
      .map(({ name }) => `its option ${name} has no choices and the account provides none`),
    ...(media && !images && !videos && !documents ? ['it accepts no kind of media'] : []),
    ...(media && Math.max(images?.max ?? 0, videos?.max ?? 0, documents?.max ?? 0) > media.max
      ? ['its limit for one kind of media exceeds its limit for all kinds']
      : []),
  ];
}

function checkConnectMethods(manifest: Manifest): string[] {
  return manifest.connect.flatMap((connectMethod) => {
    if (
      connectMethod.appPlatform !== undefined &&
      (!connectMethod.needsApp ||
        connectMethod.scheme !== 'oauth2' ||
        connectMethod.appPlatform === manifest.id)
    ) {
      return [
        `connect method ${connectMethod.id} needs no app of another platform, and goes through ${connectMethod.appPlatform}`,
      ];
    }
    const unlike = abilities.filter(
      (ability) =>
        connectMethod.permissions && !connectMethod.permissions[ability] !== !manifest.permissions[ability],
    );
    if (unlike.length > 0)
      return [`connect method ${connectMethod.id} names permissions for other abilities than it has`];
    const needed = Object.values(permissionsOf(manifest, connectMethod.id)).flat();
    const { scheme } = connectMethod;
    if (!Object.hasOwn(connectSchemes, scheme))
      return [`connect method ${connectMethod.id} has an unknown scheme ${scheme}`];
    if (hasForeignFacts(connectMethod)) {
      return [`connect method ${connectMethod.id} has another scheme than its facts`];
    }
    const elsewhere = pathsOf(connectMethod).filter((path) => !/^\/(?!\/)/.test(path));
    if (elsewhere.length > 0)
      return [`connect method ${connectMethod.id} has paths that do not begin with one slash`];
    const unasked = fieldsOf(connectMethod).filter(
      (name) => !connectMethod.fields.some((field) => field.name === name),
    );
    if (unasked.length > 0)
      return [`connect method ${connectMethod.id} does not ask for ${unasked.join(', ')}`];
    const { serverField = '' } = connectMethod.keyForm ?? connectMethod.passwordLogin ?? {};
    if (serverField === null && !connectMethod.keyForm?.account && manifest.baseUrl === null) {
      return [`connect method ${connectMethod.id} asks for no server, and none is common to all accounts`];
    }
    const unknown = sessionValuesOf(connectMethod).filter(
      (name) =>
        name !== 'token' && (name !== 'refresh_token' || !connectMethod.passwordLogin?.response.refreshToken),
    );
    if (unknown.length > 0)
      return [`connect method ${connectMethod.id} sends ${unknown.join(', ')}, which its session lacks`];
    const named =
      connectMethod.oauth2?.account ??
      connectMethod.clientCredentials?.account ??
      connectMethod.keyForm?.account;
    if (named?.location.kind === 'path' && manifest.baseUrl === null) {
      return [`connect method ${connectMethod.id} has accounts below an address that it does not name`];
    }
    const requested = connectMethod.oauth2?.permissions ?? needed;
    return needed
      .filter((permission) => !requested.includes(permission))
      .map((permission) => `connect method ${connectMethod.id} does not request ${permission}`);
  });
}

/** Whether it has facts of another scheme than its own, or lacks its own. */
const hasForeignFacts = (connectMethod: ConnectMethod): boolean =>
  Object.entries(connectSchemes).some(
    ([scheme, { facts }]) =>
      facts !== null && (connectMethod.scheme === scheme) !== (connectMethod[facts] !== undefined),
  );

/** The paths below a server that the account owner enters: nothing else may follow its name. */
function pathsOf({ passwordLogin, keyCallback }: ConnectMethod): readonly string[] {
  const { login, renewal, logout } = passwordLogin ?? {};
  const requests = [login, typeof renewal === 'object' ? renewal : undefined, logout];
  return [keyCallback?.authorizePath, ...requests.map((request) => request?.path)].filter(
    (path) => path !== undefined,
  );
}

/** What the requests of an open session send of it. */
function sessionValuesOf({ passwordLogin }: ConnectMethod): readonly string[] {
  const { renewal, logout } = passwordLogin ?? {};
  return [typeof renewal === 'object' ? renewal : undefined, logout].flatMap((request) => [
    ...placeholdersOf(request?.body),
    ...(request?.bearer === undefined ? [] : [request.bearer]),
  ]);
}

/** The fields that a connect method's facts refer to. */
function fieldsOf(connectMethod: ConnectMethod): string[] {
  const { keyForm, keyCallback, oauth2, clientCredentials, passwordLogin } = connectMethod;
  const named = [
    keyCallback?.serverField,
    oauth2?.account?.field,
    clientCredentials?.account.field,
    keyForm?.account?.field,
    keyForm?.accountField,
    passwordLogin?.serverField,
  ];
  const own = clientCredentials ? [clientCredentials.idField, clientCredentials.secretField] : [];
  const key = keyForm ? [...secretFieldsOf(keyForm.send), keyForm.serverField] : [];
  const login = [
    ...placeholdersOf(passwordLogin?.login.body),
    ...Object.values(passwordLogin?.fieldErrors ?? {}),
  ];
  return [...named, ...own, ...key, ...login].filter((name) => name !== null && name !== undefined);
}

const placeholdersOf = (texts: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.values(texts).flatMap((text) => /^\{(\w+)\}$/.exec(text)?.[1] ?? []);

function secretFieldsOf(send: KeyFormFacts['send']): readonly (string | null)[] {
  switch (send.kind) {
    case 'basic':
      return [send.nameField, send.passwordField];
    case 'oauth1':
      return [send.keyField, send.secretField, send.tokenField, send.tokenSecretField];
    case 'jwt':
      return [
        send.keyField,
        send.keyId && 'field' in send.keyId ? send.keyId.field : null,
        ...placeholdersOf(send.claims),
      ];
    default:
      return [send.field];
  }
}

function checkNames(manifest: Manifest): string[] {
  const identifiers = [
    manifest.id,
    ...manifest.connect.map((connectMethod) => connectMethod.id),
    ...manifest.connect.flatMap((connectMethod) => connectMethod.fields.map((field) => field.name)),
    ...manifest.options.map((option) => option.name),
    ...Object.keys(manifest.otherBaseUrls ?? {}),
  ];
  return [
    ...identifiers.filter((name) => !SNAKE_CASE.test(name)).map((name) => `${name} is not snake case`),
    ...duplicatesOf(manifest.connect.map((connectMethod) => connectMethod.id)).map(
      (id) => `duplicate connect method ${id}`,
    ),
    ...duplicatesOf(manifest.options.map((option) => option.name)).map(
      (name) => `it has two options ${name}`,
    ),
    ...duplicatesOf(manifest.metrics.map((fact) => `${fact.metric} of the ${fact.subject}`)).map(
      (name) => `it has ${name} twice`,
    ),
    ...[manifest.verifiedOn, manifest.apiVersionEndsOn]
      .filter((date) => date !== null && !DATE.test(date))
      .map((date) => `${date} is not a date`),
    ...Object.keys(manifest.otherBaseUrls ?? {})
      .filter((name) => RESERVED_ORIGINS.includes(name))
      .map((name) => `the origin ${name} has a field of its own`),
    ...[
      ...[manifest.baseUrl, manifest.authBaseUrl, manifest.consentBaseUrl],
      ...[manifest.uploadBaseUrl, manifest.analyticsBaseUrl],
      ...Object.values(manifest.otherBaseUrls ?? {}),
    ]
      .filter((url) => url != null && (!URL.canParse(url) || new URL(url).origin !== url))
      .map((url) => `${url} is not an origin`),
  ];
}

const duplicatesOf = (names: readonly string[]): string[] =>
  names.filter((name, at) => names.indexOf(name) !== at);
