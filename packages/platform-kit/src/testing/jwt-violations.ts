import {
  createHmac,
  generateKeyPairSync,
  randomBytes,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import type { ConnectMethod, JwtFacts, Platform } from '@switchboard/domain/ports';
import { movableClock } from '@switchboard/domain/testing';
import { listRefusedCalls } from './calls.js';
import type { ReceivedRequest } from './key-location.js';
import { testSession } from './session.js';
import { openSessionWith } from './signed-session.js';
import type { World } from './world.js';

/** The tokens (RFC 7519) that a platform accepts, as it documents them. */
export interface TokenRules {
  readonly algorithm: JwtFacts['algorithm'];
  /** The scheme in `Authorization`. */
  readonly scheme: string;
  /** How the platform displays the secret of `HS256`; default: as text. */
  readonly keyEncoding?: 'hex' | 'base64' | undefined;
  /** Whether the header has to name the key (`kid`). */
  readonly needsKeyId: boolean;
  /** The claims besides `iat` and `exp`. */
  readonly claims: Readonly<Record<string, string>>;
  readonly lifetimeSecondsMax: number;
  /** What is entered besides the key, its id and the server. */
  readonly entered?: Readonly<Record<string, string>> | undefined;
}

/** A key of an account, with what verifies its signatures. */
interface AccountKey {
  readonly id: string;
  /** As the platform displays it. */
  readonly text: string;
  readonly verifier: Buffer | KeyObject;
}

/** How far the clock of a server may differ from ours; it refuses tokens that are issued later than its own time. */
const SKEW_SECONDS = 5;
const START = new Date('2026-11-23T12:00:00.000Z');

function createAccountKey({ algorithm, keyEncoding }: TokenRules): AccountKey {
  const id = randomBytes(12).toString('hex');
  if (algorithm === 'HS256') {
    const text = randomBytes(32).toString(keyEncoding ?? 'hex');
    return { id, text, verifier: Buffer.from(text, keyEncoding ?? 'utf8') };
  }
  const { privateKey, publicKey } =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id, text: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), verifier: publicKey };
}

/**
 * What is wrong with the token of a request at this time; null: one of the keys signed it. Verified with the algorithm
 * of the platform, whatever the token names, and without the signing code under test.
 */
export function tokenFault(
  { headers: { authorization = '' } }: Pick<ReceivedRequest, 'headers'>,
  rules: TokenRules,
  keys: readonly AccountKey[],
  now: Date,
): string | null {
  const [scheme, token = ''] = authorization.split(' ');
  const [header = '', claims = '', signature = ''] = token.split('.');
  if (scheme !== rules.scheme || signature === '') return 'has no token';
  const { alg, kid } = decoded(header);
  if (alg !== rules.algorithm) return 'is signed by an algorithm that is not accepted';
  const named = rules.needsKeyId ? keys.filter(({ id }) => id === kid) : keys;
  if (named.length === 0) return 'names no key';
  const bytes = Buffer.from(signature, 'base64url');
  if (!named.some(({ verifier }) => isSignedBy(verifier, `${header}.${claims}`, bytes)))
    return 'has a signature of another key';
  const { iat, exp, ...rest } = decoded(claims);
  const nowSeconds = now.getTime() / 1_000;
  if (typeof iat !== 'number' || typeof exp !== 'number') return 'states no time';
  if (exp - iat > rules.lifetimeSecondsMax) return 'is valid for too long';
  if (iat > nowSeconds) return 'is issued in the future';
  if (exp <= nowSeconds) return 'has expired';
  return Object.entries(rules.claims).every(([name, value]) => rest[name] === value)
    ? null
    : 'has other claims';
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function isSignedBy(verifier: AccountKey['verifier'], text: string, signature: Buffer): boolean {
  if (!Buffer.isBuffer(verifier))
    return verify('sha256', Buffer.from(text), { key: verifier, dsaEncoding: 'ieee-p1363' }, signature);
  const expected = createHmac('sha256', verifier).update(text).digest();
  return expected.length === signature.length && timingSafeEqual(expected, signature);
}

/**
 * The violations in the tokens of a connect method whose key signs one for every request, and in what the simulated
 * platform accepts: other keys, expired tokens, clocks that differ, and an account owner who replaces the key.
 */
export async function tokenViolations(
  platform: Platform,
  world: World,
  connectMethod: ConnectMethod,
  openSession = openSessionWith,
): Promise<readonly string[]> {
  const rules = world.tokens?.[connectMethod.id];
  const { takeSignedBy, received } = world;
  // The form defines the typed fields, however the connect method uses them.
  const form = platform.manifest.connect.find(({ id }) => id === connectMethod.id)?.keyForm;
  if (!rules || !takeSignedBy || !received || form?.send.kind !== 'jwt')
    return [`the world does not declare which tokens ${connectMethod.id} sends`];
  const { keyField, keyId } = form.send;
  const violations: string[] = [];
  const ourClock = movableClock(START);
  const platformClock = { skewMs: 0, now: () => new Date(ourClock.now().getTime() + platformClock.skewMs) };
  const accept = (...keys: readonly AccountKey[]) =>
    takeSignedBy((request) => tokenFault(request, rules, keys, platformClock.now()));
  const open = async ({ id, text }: AccountKey) => {
    const values = {
      ...rules.entered,
      ...(form.serverField !== null && { [form.serverField]: world.baseUrl }),
      [keyField]: keyId && 'before' in keyId ? id + keyId.before + text : text,
      ...(keyId && 'field' in keyId && { [keyId.field]: id }),
    };
    const session = await openSession(platform, world, connectMethod, values, ourClock);
    if (!session.ok) throw new Error(`the key is not accepted as one: ${session.failure.message}`);
    return session.value;
  };
  const codeOf = async (session: Awaited<ReturnType<typeof open>>) => {
    const account = await platform.connecting.identify(session);
    return account.ok ? 'ok' : account.failure.code;
  };
  const expectAccepted = (code: string, when: string) => {
    if (code !== 'ok') violations.push(`${when} is refused: ${code}`);
  };
  const expectRefused = (code: string, when: string) => {
    if (code === 'ok') violations.push(`the simulated platform accepts ${when}`);
    else if (code !== 'connection.needs_reauth')
      violations.push(`${when} is ${code} instead of connection.needs_reauth`);
  };
  try {
    const [first, second] = [createAccountKey(rules), createAccountKey(rules)];
    accept(first);
    // A line of a PEM text.
    const secret = first.text.split('\n')[2] ?? first.text;
    const before = received().length;
    const session = await open(first);
    violations.push(...(await listRefusedCalls(platform, world, () => session)));
    for (const request of received().slice(before)) {
      const [path = ''] = request.url.split('?');
      const fault = tokenFault(request, rules, [first], platformClock.now());
      if (fault !== null) violations.push(`a token ${fault} at ${path}`);
      const arrived = [request.url, JSON.stringify(request.headers), Buffer.from(request.bytes).toString()];
      if (arrived.some((text) => text.includes(secret))) violations.push(`the key is sent to ${path}`);
    }
    if (received().length === before) return [...violations, 'nothing is sent'];

    expectRefused(await codeOf(await open({ ...second, id: first.id })), 'a signature of another key');

    const old = received()[before]?.headers.authorization ?? '';
    ourClock.advance((rules.lifetimeSecondsMax + 1) * 1_000);
    const replay = testSession({
      baseUrl: world.baseUrl,
      account: world.account,
      token: old,
      key: { header: 'authorization', value: (token) => token },
    });
    expectRefused(await codeOf(replay), 'an expired token');
    expectAccepted(await codeOf(session), 'a request after the first token expired');

    for (const skewSeconds of [-SKEW_SECONDS, SKEW_SECONDS]) {
      platformClock.skewMs = skewSeconds * 1_000;
      expectAccepted(await codeOf(session), `a token at a server whose clock differs by ${skewSeconds} s`);
    }
    platformClock.skewMs = 0;

    accept(first, second);
    expectAccepted(await codeOf(session), 'the old key beside a new one');
    expectAccepted(await codeOf(await open(second)), 'a new key beside the old one');
    accept(second);
    expectRefused(await codeOf(session), 'a key that was replaced');
    expectAccepted(await codeOf(await open(second)), 'the new key alone');
  } finally {
    takeSignedBy(null);
  }
  return violations;
}
