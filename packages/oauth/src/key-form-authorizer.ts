import { ok, type Clock, type ConnectWay, type KeyFormFacts, type Outbound } from '@switchboard/domain';
import { refuseAnswer } from './atproto-answers.js';
import { isUnauthorized } from './bearer-line.js';
import type { Scheme } from './scheme.js';
import { storedJson } from './stored-json.js';

export interface KeyFormDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Servers without TLS: for development, and for hosts that the operator opened. */
  readonly allowHttp: boolean;
}

interface Credential {
  readonly kind: 'key_form';
  /** A header and what stands in it: how the key is sent was decided when it was typed. */
  readonly header: readonly [name: string, value: string];
  readonly obtainedAt: string;
}

const credentials = storedJson<Credential>('key_form');

/** What is typed is the credential. Whether it is right shows when the account behind it is asked for. */
export function keyFormAuthorizer({
  outbound,
  clock,
  allowHttp,
}: KeyFormDeps): Scheme & Required<Pick<Scheme, 'login'>> {
  return {
    async login({ manifest, way, answers }) {
      const facts = factsOf(way);
      const server = facts.serverField === null ? null : readStoreUrl(answers[facts.serverField], allowHttp);
      if (facts.serverField !== null && server === null) {
        return refuseAnswer(
          facts.serverField,
          `Type the address of the store, such as https://shop.example.`,
        );
      }
      const unsendable = fieldsOf(facts.send).find((name) => !isSendable(answers[name] ?? ''));
      if (unsendable !== undefined) {
        return refuseAnswer(unsendable, 'There is a character in it that no key has. Copy it again.');
      }
      const credential = credentials.write({
        kind: 'key_form',
        header: headerOf(facts.send, answers),
        obtainedAt: clock.now().toISOString(),
      });
      const permissions = [...new Set(Object.values(manifest.permissions).flat())];
      return ok({ credential, accessExpiresAt: null, expiresAt: null, permissions, server });
    },

    open(secret) {
      const { header, obtainedAt } = credentials.read(secret);
      const [name, value] = header;
      return {
        subject: null,
        obtainedAt: new Date(obtainedAt),
        accessExpiresAt: null,
        renewable: false,
        send: (request) => outbound.request({ ...request, headers: { ...request.headers, [name]: value } }),
        refusesCredential: isUnauthorized,
      };
    },

    /** A key does not renew itself: one that is refused was taken back. */
    renew: async () => ({ kind: 'over' }),

    /** It is its owner's, who made it there and takes it back there. */
    revoke: async () => ok(),
  };
}

function factsOf({ id, keyForm }: ConnectWay): KeyFormFacts {
  if (!keyForm) throw new Error(`the way ${id} does not say how its key is sent`);
  return keyForm;
}

const fieldsOf = (send: KeyFormFacts['send']): readonly string[] =>
  send.kind === 'basic'
    ? [send.nameField, ...(send.passwordField === null ? [] : [send.passwordField])]
    : [send.field];

const isSendable = (text: string): boolean => /^[\x21-\x7e]+$/.test(text.trim());

function headerOf(
  send: KeyFormFacts['send'],
  answers: Readonly<Record<string, string>>,
): Credential['header'] {
  const typed = (field: string) => (answers[field] ?? '').trim();
  switch (send.kind) {
    case 'bearer':
      return ['authorization', `Bearer ${typed(send.field)}`];
    case 'header':
      return [send.name.toLowerCase(), typed(send.field)];
    case 'basic': {
      const password = send.passwordField === null ? '' : typed(send.passwordField);
      const pair = Buffer.from(`${typed(send.nameField)}:${password}`).toString('base64');
      return ['authorization', `Basic ${pair}`];
    }
  }
}

/**
 * The store's address as people copy it, from the browser's address bar too: the scheme may be missing, a path is kept
 * since a shop may live below one, question marks and fragments are not. Null when it is none.
 */
export function readStoreUrl(typed: string | undefined, allowHttp: boolean): string | null {
  const text = (typed ?? '').replace(/[\p{Cc}\p{Cf}\s]/gu, '');
  const complete = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  if (text === '' || !URL.canParse(complete)) return null;
  const { protocol, username, password, origin, pathname, hostname } = new URL(complete);
  const plain = protocol === 'https:' || (allowHttp && protocol === 'http:');
  const named = hostname.includes('.') || hostname.includes(':') || complete === text;
  if (!plain || username !== '' || password !== '' || !named) return null;
  return origin + pathname.replace(/\/+$/, '');
}
