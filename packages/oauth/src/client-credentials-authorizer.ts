import {
  failure,
  ok,
  permissionsOf,
  permissionsWanted,
  refuse,
  Secret,
  type ClientCredentialsFacts,
  type Clock,
  type ConnectWay,
  type Manifest,
  type Outbound,
} from '@switchboard/domain';
import { refuseAnswer } from './atproto-answers.js';
import { isUnauthorized, sendToken } from './bearer-line.js';
import { placeOf, readName } from './named-account.js';
import { restOf, withIncluded, type Origins } from './oauth2-authorizer.js';
import {
  asking,
  meaningOf,
  ownAppClient,
  type Agents,
  type Attending,
  type TokenError,
} from './oauth2-client.js';
import type { Scheme } from './scheme.js';
import { storedJson } from './stored-json.js';
import { readTokenResponse } from './token-response.js';

export interface ClientCredentialsDeps {
  readonly outbound: Outbound & Attending;
  readonly agents: Agents;
  readonly clock: Clock;
  readonly origins: Origins;
}

/** Who asks: an account's name, and the id and secret of its owner's app. */
interface Asker {
  readonly account: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Credential extends Asker {
  readonly kind: 'client_credentials';
  readonly header: string | undefined;
  readonly accessToken: string;
  readonly obtainedAt: string;
  readonly accessExpiresAt: string | null;
}

const credentials = storedJson<Credential>('client_credentials');

/** Visible ASCII, as RFC 6749 (appendix A) has ids and secrets, without spaces. */
const isWord = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** RFC 6749's client credentials, through simple-oauth2: a token of an app's own, got anew with the same secret before it ends. */
export function clientCredentialsAuthorizer({
  outbound,
  agents,
  clock,
  origins,
}: ClientCredentialsDeps): Scheme & Required<Pick<Scheme, 'login'>> {
  async function ask(manifest: Manifest, way: ConnectWay, asker: Asker) {
    const facts = factsOf(way);
    const { server, authBaseUrl } = placeOf(facts.account, asker.account, origins(manifest.id));
    if (authBaseUrl === null) throw new Error(`${manifest.id} does not say where its tokens are`);
    const app = { clientId: asker.clientId, clientSecret: new Secret(asker.clientSecret) };
    const client = ownAppClient(facts, authBaseUrl, app, agents);
    const asked = await asking(outbound, manifest.id, authBaseUrl)(() => client.getToken({}));
    if (asked.kind !== 'answered') return { error: asked };
    const now = clock.now();
    const token = readTokenResponse(asked.answer.token, now);
    if (!token) return { error: { kind: 'no_answer' } as const };
    const lifetime = token.expiresInSeconds;
    const accessExpiresAt = lifetime === null ? null : new Date(now.getTime() + lifetime * 1_000);
    const { account, clientId, clientSecret } = asker;
    const credential = credentials.write({
      kind: 'client_credentials',
      account,
      clientId,
      clientSecret,
      header: facts.tokenHeader,
      accessToken: token.accessToken,
      obtainedAt: now.toISOString(),
      accessExpiresAt: accessExpiresAt?.toISOString() ?? null,
    });
    const permissions = token.scope
      ? withIncluded(facts, token.scope)
      : permissionsWanted(permissionsOf(manifest, way.id));
    return { grant: { credential, accessExpiresAt, expiresAt: null, permissions, server } };
  }

  return {
    async login({ manifest, way, answers }) {
      const facts = factsOf(way);
      const { account: named, idField, secretField } = facts;
      const account = readName(named, answers);
      if (account === null) {
        const example = way.fields.find(({ name }) => name === named.field)?.placeholder ?? '';
        return refuseAnswer(named.field, `Type it as it stands in its address, such as ${example}.`);
      }
      const [clientId = '', clientSecret = ''] = [idField, secretField].map((field) =>
        (answers[field] ?? '').trim(),
      );
      if (!isWord(clientId) || !isWord(clientSecret)) {
        const wrong = isWord(clientId) ? secretField : idField;
        return refuseAnswer(wrong, 'There is a character in it that does not belong there. Copy it again.');
      }
      const { grant, error } = await ask(manifest, way, { account, clientId, clientSecret });
      if (grant) return ok(grant);
      if (error.kind === 'address_refused') {
        return refuse('platform.address_refused', `${manifest.name} may not be reached from here.`);
      }
      return isRefusal(error)
        ? refuseAnswer(
            secretField,
            `${manifest.name} gives this app no access to this store. Check all three.`,
          )
        : refuse('platform.unavailable', `${manifest.name} cannot be reached right now.`);
    },

    open(secret) {
      const { accessToken, header, obtainedAt, accessExpiresAt } = credentials.read(secret);
      return {
        subject: null,
        obtainedAt: new Date(obtainedAt),
        accessExpiresAt: accessExpiresAt === null ? null : new Date(accessExpiresAt),
        renewable: true,
        send: sendToken(outbound, accessToken, header),
        refusesCredential: isUnauthorized,
      };
    },

    async renew({ manifest, way, credential }) {
      const facts = factsOf(way);
      const { grant, error } = await ask(manifest, way, credentials.read(credential));
      if (grant) return { kind: 'renewed', ...grant };
      // It is the owner's own app: when it is not accepted any more, only its owner can mend that.
      if (meaningOf(error, facts.tokenErrors) !== null) return { kind: 'over' };
      return {
        kind: 'failed',
        failure: failure('platform.unavailable', `${manifest.name} gives no new token right now.`, {
          retryAfterSeconds: restOf(error, clock.now()),
        }),
        // What is asked with stays as good as it was.
        unsettled: false,
      };
    },

    /** The app is its owner's, and stays where it is; the token ends by itself. */
    revoke: async () => ok(),
  };
}

const isRefusal = (error: TokenError) =>
  error.kind === 'refused' && error.status >= 400 && error.status < 500 && error.status !== 429;

function factsOf({ id, clientCredentials }: ConnectWay): ClientCredentialsFacts {
  if (!clientCredentials) throw new Error(`the way ${id} does not say how its app asks for tokens`);
  return clientCredentials;
}
