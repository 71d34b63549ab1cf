import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ConnectMethod, KeyFormFacts, Platform } from '@switchboard/domain/ports';
import { listRefusedCalls } from './calls.js';
import { tokenViolations } from './jwt-violations.js';
import {
  basicUsernameLocation,
  basicPasswordLocation,
  bearerLocation,
  hasKeyOnlyAt,
  headerLocation,
  keyLocationOf,
  type KeyLocation,
} from './key-location.js';
import { oauthParametersOf, signatureFault, type SigningKeys } from './oauth1-signature.js';
import { testSession } from './session.js';
import { openSessionWith, signedSession } from './signed-session.js';
import type { World } from './world.js';

const wrongLocations = [
  bearerLocation,
  headerLocation('x-api-key'),
  basicUsernameLocation,
  basicPasswordLocation,
];

/**
 * A typed key is sent where the platform's documentation requires it and nowhere else; a signing key is not
 * sent at all.
 */
export function keysContract(platform: Platform, start: () => Promise<World>): void {
  const { connect } = platform.manifest;
  const cases = [
    ...connect
      .filter(({ keyForm }) => keyForm && keyLocationOf(keyForm.send))
      .map(
        (connectMethod) =>
          [
            `sends the key of ${connectMethod.id} only in its declared location`,
            connectMethod,
            keyViolations,
          ] as const,
      ),
    ...connect
      .filter(({ keyForm }) => keyForm && signsRequests(keyForm.send))
      .map(
        (connectMethod) =>
          [
            `signs with the keys of ${connectMethod.id} and sends neither secret`,
            connectMethod,
            signingViolations,
          ] as const,
      ),
    ...connect
      .filter(({ keyForm }) => keyForm?.send.kind === 'jwt')
      .map(
        (connectMethod) =>
          [
            `signs a token with the key of ${connectMethod.id} for every request and never sends the key`,
            connectMethod,
            tokenViolations,
          ] as const,
      ),
    ...connect
      .filter(({ passwordLogin }) => passwordLogin)
      .map(
        (connectMethod) =>
          [
            `sends the password of ${connectMethod.id} only to log in, and the token in its declared location`,
            connectMethod,
            loginViolations,
          ] as const,
      ),
  ];
  if (cases.length === 0) return;
  describe(platform.manifest.id, () => {
    test.each(cases)('%s', async (_name, connectMethod, violations) => {
      const world = await start();
      try {
        expect(await violations(platform, world, connectMethod)).toEqual([]);
      } finally {
        await world.close();
      }
    });
  });
}

/** Over plain HTTP, which every world of the contract uses. */
const signsRequests = (send: KeyFormFacts['send']): boolean =>
  send.kind === 'oauth1' || (send.kind === 'basic' && send.signsOverHttp === true);

/**
 * The violations in where the key of a connect method is sent and where the simulated platform accepts it.
 */
export async function keyViolations(
  platform: Platform,
  world: World,
  connectMethod: Pick<ConnectMethod, 'id' | 'keyForm'>,
): Promise<readonly string[]> {
  const sent = connectMethod.keyForm && keyLocationOf(connectMethod.keyForm.send);
  const published = world.keyLocations?.[connectMethod.id];
  const { requireKeyAt, received } = world;
  if (!sent || !published || !requireKeyAt || !received)
    return [`the world does not declare where ${connectMethod.id} is sent`];
  const session = (key: KeyLocation) =>
    testSession({
      baseUrl: world.baseUrl,
      token: world.token,
      connectMethod: connectMethod.id,
      key,
      account:
        world.enteredAccount === undefined ? world.account : { ...world.account, id: world.enteredAccount },
      permissions: world.permissions ?? [],
      subject: world.subject,
      apiVersion: platform.manifest.apiVersion,
    });
  const violations: string[] = [];
  requireKeyAt(published);
  try {
    const before = received().length;
    violations.push(...(await listRefusedCalls(platform, world, () => session(sent))));
    for (const request of received().slice(before)) {
      const [path = ''] = request.url.replaceAll(world.token, '*').split('?');
      if (!hasKeyOnlyAt(published, world.token, request)) violations.push(`the key is misplaced at ${path}`);
    }
    if (received().length === before) violations.push('nothing is sent');
    // For a key in the path the adapter fills in the location, so no header is tried.
    for (const wrong of wrongLocations.filter((place) => !isSame(place, published))) {
      if ('path' in sent) break;
      const accepted = await platform.connecting.identify(session(wrong));
      if (accepted.ok) violations.push('the simulated platform accepts the key in a wrong location');
    }
  } finally {
    requireKeyAt(null);
  }
  return violations;
}

/**
 * The violations in the signatures of a signing connect method and in what the simulated platform accepts.
 */
export async function signingViolations(
  platform: Platform,
  world: World,
  connectMethod: ConnectMethod,
  opening = signedSession,
): Promise<readonly string[]> {
  const algorithms = world.signatures?.[connectMethod.id];
  const { takeSignedBy, received } = world;
  // The form defines the typed fields, however the connect method uses them.
  const form = platform.manifest.connect.find(({ id }) => id === connectMethod.id)?.keyForm;
  if (!algorithms || !takeSignedBy || !received || !form)
    return [`the world does not declare how ${connectMethod.id} signs`];
  const keys = newKeys(form.send);
  const secrets = [keys.consumerSecret, keys.tokenSecret].filter((one) => one !== null);
  const violations: string[] = [];
  takeSignedBy((request) => signatureFault(request, world.baseUrl, keys));
  try {
    const before = received().length;
    const session = await opening(platform, world, connectMethod, typedInto(form, keys, world.baseUrl));
    violations.push(...(await listRefusedCalls(platform, world, () => session)));
    const moments = new Set<string>();
    for (const request of received().slice(before)) {
      const [path = ''] = request.url.split('?');
      const stated = new Map(oauthParametersOf(request));
      const fault = signatureFault(request, world.baseUrl, keys);
      if (fault !== null) violations.push(`a request ${fault} at ${path}`);
      else if (!algorithms.includes(stated.get('oauth_signature_method') ?? ''))
        violations.push(`a request is signed by an algorithm that is not accepted at ${path}`);
      const moment = `${stated.get('oauth_timestamp')} ${stated.get('oauth_nonce')}`;
      if (fault === null && moments.has(moment)) violations.push(`a nonce is used twice at ${path}`);
      moments.add(moment);
      const arrived = [
        request.url,
        ...Object.values(request.headers).map(String),
        Buffer.from(request.bytes).toString('latin1'),
      ]
        .flatMap((text) => [text, fromBase64(text)])
        .join('\n');
      if (secrets.some((secret) => arrived.includes(secret)))
        violations.push(`a secret is sent in clear at ${path}`);
    }
    if (received().length === before) violations.push('nothing is sent');
    for (const name of ['consumerSecret', 'tokenSecret'] as const) {
      if (keys[name] === null) continue;
      const others = typedInto(form, { ...keys, [name]: secretText() }, world.baseUrl);
      const accepted = await platform.connecting.identify(
        await opening(platform, world, connectMethod, others),
      );
      if (accepted.ok) violations.push('the simulated platform accepts a signature of other keys');
    }
  } finally {
    takeSignedBy(null);
  }
  return violations;
}

/**
 * The violations in how a connect method exchanges a password for a token, by the production code: what the manifest
 * describes is what the simulated platform expects.
 */
export async function loginViolations(
  platform: Platform,
  world: World,
  connectMethod: ConnectMethod,
): Promise<readonly string[]> {
  const { passwordLogin, fields } = connectMethod;
  const sent = passwordLogin && keyLocationOf(passwordLogin.send);
  const published = world.keyLocations?.[connectMethod.id];
  const entered = world.logins?.[connectMethod.id];
  const { requireKeyAt, received } = world;
  const secret = fields.find(({ kind }) => kind === 'password')?.name ?? '';
  if (!sent || !published || !entered || !requireKeyAt || !received)
    return [`the world does not declare how ${connectMethod.id} logs in`];
  const { serverField } = passwordLogin;
  const values = serverField === null ? entered : { ...entered, [serverField]: world.baseUrl };
  const violations: string[] = [];
  requireKeyAt(published);
  try {
    const before = received().length;
    const session = await openSessionWith(platform, world, connectMethod, values);
    if (!session.ok) return [`the login is refused: ${session.failure.message}`];
    const logins = received().length;
    violations.push(...(await listRefusedCalls(platform, world, () => session.value)));
    for (const request of received().slice(logins)) {
      const [path = ''] = request.url.replaceAll(world.token, '*').split('?');
      if (!hasKeyOnlyAt(published, world.token, request))
        violations.push(`the token is misplaced at ${path}`);
      if (Buffer.from(request.bytes).includes(values[secret] ?? ''))
        violations.push(`the password is sent to ${path}`);
    }
    if (logins !== before + 1) violations.push('it logs in with another number of requests than one');
    const wrong = { ...values, [secret]: secretText() };
    const refused = await openSessionWith(platform, world, connectMethod, wrong);
    const problem = refused.ok ? undefined : refused.failure.problems?.[0];
    if (problem?.path !== secret) violations.push('a wrong password is not reported at its field');
  } finally {
    requireKeyAt(null);
  }
  return violations;
}

const secretText = () => randomBytes(20).toString('hex');

/** Decodes the Base64 value of Basic. */
const fromBase64 = (text: string): string =>
  Buffer.from(text.replace(/^Basic /, ''), 'base64').toString('latin1');

function newKeys(send: KeyFormFacts['send']): SigningKeys {
  const hasToken = send.kind === 'oauth1' && send.tokenField !== null;
  return {
    consumerKey: secretText(),
    consumerSecret: secretText(),
    token: hasToken ? secretText() : null,
    tokenSecret: hasToken ? secretText() : null,
  };
}

function typedInto({ serverField, send }: KeyFormFacts, keys: SigningKeys, server: string) {
  const typed: (readonly [string | null, string | null])[] = [[serverField, server]];
  if (send.kind === 'basic') {
    typed.push([send.nameField, keys.consumerKey], [send.passwordField, keys.consumerSecret]);
  } else if (send.kind === 'oauth1') {
    typed.push([send.keyField, keys.consumerKey], [send.secretField, keys.consumerSecret]);
    typed.push([send.tokenField, keys.token], [send.tokenSecretField, keys.tokenSecret]);
  }
  return Object.fromEntries(
    typed.flatMap(([field, value]) => (field === null || value === null ? [] : [[field, value]])),
  );
}

const isSame = (one: KeyLocation, other: KeyLocation) =>
  'header' in one && 'header' in other && one.header === other.header && one.value('k') === other.value('k');
