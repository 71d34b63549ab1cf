import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KEY_IN_PATH, ok, refuse } from '@switchboard/domain';
import type {
  ConnectMethod,
  JwtFacts,
  Platform,
  PublishedPart,
  PublishItem,
  Publishing,
} from '@switchboard/domain/ports';
import adobeCommerce from './adobe-commerce/index.js';
import { startWorld as startAdobe } from './adobe-commerce/testing/world.js';
import vendure from './vendure/index.js';
import { startWorld as startVendure } from './vendure/testing/world.js';
import woocommerce from './woocommerce/index.js';
import { startWorld as startWoo } from './woocommerce/testing/world.js';
import template from './template/index.js';
import { startWorld } from './template/testing/world.js';
import {
  createContractContext,
  type ContractContext,
} from '@switchboard/platform-kit/testing/contract-context';
import { keyLogin, requiredField } from '@switchboard/platform-kit/manifest-defaults';
import { mutationKinds } from '@switchboard/platform-kit/testing/mutations';
import { listScenarios, mutationViolations } from '@switchboard/platform-kit/testing/responses-contract';
import {
  similarPostCases,
  similarPostViolation,
} from '@switchboard/platform-kit/testing/similar-posts-contract';
import {
  listRequestContents,
  requestContentViolation,
} from '@switchboard/platform-kit/testing/request-content-contract';
import { tokenViolations, type TokenRules } from '@switchboard/platform-kit/testing/jwt-violations';
import {
  keysContract,
  keyViolations,
  signingViolations,
} from '@switchboard/platform-kit/testing/keys-contract';
import { openSessionWith, signedSession } from '@switchboard/platform-kit/testing/signed-session';
import { serverViolations } from '@switchboard/platform-kit/testing/servers-contract';
import type { World } from '@switchboard/platform-kit/testing/world';

// Finding 60: each test plants one defect into a platform that satisfies the contract; the kit has to report
// it.

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const { publishing } = template;
if (!publishing) throw new Error('the template publishes');
const find = publishing.find?.bind(publishing);
if (!find) throw new Error('the template reads back');

/** The template with a different implementation of publish or find. */
const planted = (defect: Partial<Publishing>): ContractContext => {
  const platform: Platform = { ...template, publishing: { ...publishing, ...defect } };
  return createContractContext(platform, () => world);
};

describe('a mutated response', () => {
  const violations = async (bench: ContractContext) => {
    const found: string[] = [];
    const names = ['publish a post', 'find a post'];
    for (const journey of listScenarios(bench).filter(({ name }) => names.includes(name))) {
      for (const kind of mutationKinds) {
        found.push(
          ...(await mutationViolations(bench, journey, kind)).map((one) => `${journey.name}: ${one}`),
        );
      }
    }
    return found;
  };
  /** Publishes as the template does, but parses the response without a schema. */
  const send = async (session: Parameters<Publishing['publish']>[0], item: PublishItem) =>
    session.request({
      method: 'POST',
      path: '/v1/posts',
      json: {
        kind: 'post',
        title: null,
        text: item.text,
        files: [],
        answers: null,
        reference: item.reference,
      },
      effect: 'write',
    });

  test('satisfies the contract of the template', async () => {
    expect(await violations(planted({}))).toEqual([]);
  });

  test.each<[string, Partial<Publishing>, string]>([
    [
      'throws',
      {
        publish: async (session, item) => {
          const sent = await send(session, item);
          if (!sent.ok) return sent;
          const { id, url } = sent.value.json as { id: string; url: string };
          return ok({ externalId: id, url: new URL(url).href, receipt: {} });
        },
      },
      'publish a post: POST /v1/posts 2xx url absent: throws TypeError: Invalid URL',
    ],
    [
      'reports a publication without its id',
      {
        publish: async (session, item) => {
          const sent = await send(session, item);
          if (!sent.ok) return sent;
          const { id } = sent.value.json as { id?: string };
          return ok({ externalId: id ?? item.reference, url: null, receipt: {} });
        },
      },
      'publish a post: POST /v1/posts 2xx id null: gives the id',
    ],
    [
      'reports a definite failure that hides a publication',
      {
        publish: async (session, item, saveReceipt) => {
          const sent = await publishing.publish(session, item, saveReceipt);
          return sent.ok || sent.failure.code !== 'platform.outcome_unknown'
            ? sent
            : refuse('platform.refused', 'Refused.');
        },
      },
      'publish a post: POST /v1/posts 2xx id absent: reports platform.refused of what is published',
    ],
    [
      'reports the absence of a post it cannot read',
      {
        find: async (session, item) => {
          const found = await find(session, item);
          return found.ok || found.failure.code !== 'platform.invalid_response' ? found : ok(null);
        },
      },
      'find a post: GET /v1/posts 2xx posts absent: reports the absence of what is published',
    ],
  ])('is reported for an adapter that %s', async (_, defect, expected) => {
    expect(await violations(planted(defect))).toContainEqual(expect.stringContaining(expected));
  });
});

describe('a similar post', () => {
  const losses = ['reset-before-effect', 'reset-after-effect'] as const;

  /** A platform whose `find` compares only the beginning of the text. */
  const comparesBeginnings = (): ContractContext => {
    const byBeginning = new Map<string, PublishedPart>();
    const beginningOf = ({ text }: PublishItem) => text.split(' ').slice(0, 3).join(' ');
    return planted({
      publish: async (session, item, saveReceipt) => {
        const sent = await publishing.publish(session, item, saveReceipt);
        if (sent.ok) byBeginning.set(beginningOf(item), sent.value);
        return sent;
      },
      find: async (_, item) => ok(byBeginning.get(beginningOf(item)) ?? null),
    });
  };

  test('is distinguished by the template, for every difference', async () => {
    const bench = planted({});
    const names = similarPostCases(bench).map(({ name }) => name);
    const below = (part: string) => [`the words of ${part}`, `the link in ${part}`, `a link below ${part}`];
    expect(names).toEqual([
      ...[
        'its link',
        'having no link',
        'its title',
        'its image',
        'its option board',
        'having no option board',
      ],
      ...[...below('a part of a thread'), 'the image of a part of a thread', ...below('a first comment')],
    ]);
    for (const rivalry of similarPostCases(bench)) {
      for (const how of losses)
        expect(await similarPostViolation(bench, publishing, rivalry, how)).toBeNull();
    }
  });

  test.each(losses)('is reported when it is mistaken for the post that was lost to a %s', async (how) => {
    const bench = comparesBeginnings();
    const { publishing: defective } = bench.platform;
    if (!defective) throw new Error('the template publishes');
    for (const rivalry of similarPostCases(bench)) {
      expect([rivalry.name, await similarPostViolation(bench, defective, rivalry, how)]).toEqual([
        rivalry.name,
        'finds the similar post',
      ]);
    }
  });

  test('does not justify reporting the absence of a published post', async () => {
    const bench = planted({ find: async () => ok(null) });
    const { publishing: defective } = bench.platform;
    const [rivalry] = similarPostCases(bench);
    if (!defective || !rivalry) throw new Error('the template publishes');
    expect(await similarPostViolation(bench, defective, rivalry, 'reset-after-effect')).toBe(
      'reports the absence of what is published',
    );
  });
});

describe('a link or an option', () => {
  const violations = async (defect: Partial<Publishing>) => {
    const bench = planted(defect);
    const { publishing: defective } = bench.platform;
    if (!defective) throw new Error('the template publishes');
    const found = [];
    for (const content of await listRequestContents(bench, defective)) {
      found.push(await requestContentViolation(bench, defective, content));
    }
    return found.map((one) => one?.split(':')[0] ?? null);
  };
  const changing = (change: (item: PublishItem) => PublishItem): Partial<Publishing> => ({
    publish: async (session, item, saveReceipt) => publishing.publish(session, change(item), saveReceipt),
  });

  test('is sent by the template', async () => {
    const all = await violations({});
    expect(all.length).toBeGreaterThan(2);
    expect(new Set(all)).toEqual(new Set([null]));
  });

  test('is reported when the adapter drops the link', async () => {
    const found = await violations(changing((item) => ({ ...item, link: null })));
    expect(found.filter((one) => one !== null)).toEqual(['the link is not sent']);
  });

  test('is reported when the adapter drops the option', async () => {
    const found = await violations(changing((item) => ({ ...item, options: {} })));
    expect(found[0]).toBeNull();
    expect(found.slice(1).every((one) => one?.endsWith('is not sent'))).toBe(true);
  });

  test('is reported when the adapter sends another value', async () => {
    const found = await violations(
      changing((item) => ('board' in item.options ? { ...item, options: { board: 'another' } } : item)),
    );
    expect(found.slice(1).every((one) => one?.startsWith('the option board='))).toBe(true);
  });
});

describe('two options of one type', () => {
  const flag = (name: string) => ({ name, label: name, type: 'boolean', required: false }) as const;

  /** The template with two flags that its requests carry as given. */
  const flagged = async (
    fieldsOf: (options: PublishItem['options']) => Readonly<Record<string, unknown>>,
  ) => {
    const bench = planted({
      publish: (session, item, saveReceipt) =>
        publishing.publish(
          {
            ...session,
            request: (request) =>
              session.request(
                request.path === '/v1/posts'
                  ? { ...request, json: Object.assign({}, request.json, fieldsOf(item.options)) }
                  : request,
              ),
          },
          item,
          saveReceipt,
        ),
    });
    const { platform } = bench;
    const { manifest } = platform;
    const options = [flag('pinned'), flag('silent')];
    const withFlags: ContractContext = {
      ...bench,
      platform: { ...platform, manifest: { ...manifest, options } },
    };
    const found: (string | null)[] = [];
    for (const content of await listRequestContents(withFlags, platform.publishing ?? publishing)) {
      found.push(await requestContentViolation(withFlags, platform.publishing ?? publishing, content));
    }
    return found.filter((one) => one !== null).map((one) => one.split(':')[0]);
  };

  test('are sent under their own names', async () => {
    expect(await flagged(({ pinned, silent }) => ({ pinned, silent }))).toEqual([]);
  });

  test('are reported when the adapter swaps them', async () => {
    expect(await flagged(({ pinned, silent }) => ({ pinned: silent, silent: pinned }))).toEqual([
      'the option pinned=true is sent as silent',
      'the option pinned=false is sent as silent',
      'the option silent=true is sent as pinned',
      'the option silent=false is sent as pinned',
    ]);
  });

  test('are reported when one also sets the other', async () => {
    expect(await flagged(({ pinned, silent }) => ({ pinned, silent: silent ?? pinned }))).toContain(
      'the option pinned=true is sent as silent',
    );
  });

  test('are reported when a default value is sent as the other option', async () => {
    expect(await flagged(({ pinned, silent }) => ({ pinned: pinned !== undefined, silent }))).toEqual([
      'the option pinned=false is sent as another value',
    ]);
  });
});

describe('the location of a typed key', () => {
  let store: World;
  beforeAll(async () => {
    store = await startVendure();
  });
  afterAll(() => store.close());
  const [connectMethod] = vendure.manifest.connect;

  test('is correct for Vendure', async () => {
    expect(await keyViolations(vendure, store, connectMethod)).toEqual([]);
  });

  test.each([
    ['header of another name', { kind: 'header', name: 'X-Api-Key', field: 'api_key' }],
    ['bearer token', { kind: 'bearer', field: 'api_key' }],
    ['name without a password', { kind: 'basic', nameField: 'api_key', passwordField: null }],
    ['header with a prefix', { kind: 'header', name: 'vendure-api-key', field: '', before: 'Key ' }],
  ] as const)('is reported when the manifest declares the key as a %s', async (_, send) => {
    const keyForm = { serverField: 'store', send };
    expect(await keyViolations(vendure, store, { id: connectMethod.id, keyForm })).toEqual(
      expect.arrayContaining([
        expect.stringContaining('identify is refused'),
        'the key is misplaced at /admin-api',
      ]),
    );
  });

  test('is reported when an adapter also sends it in the path', async () => {
    const { connecting } = vendure;
    const leaking: Platform = {
      ...vendure,
      connecting: {
        identify: async (session) => {
          await session.request({ method: 'GET', path: `/admin-api/${KEY_IN_PATH}`, effect: 'read' });
          return connecting.identify(session);
        },
      },
    };
    expect(await keyViolations(leaking, store, connectMethod)).toContain(
      'the key is misplaced at /admin-api/*',
    );
  });
});

describe('a signature instead of a key', () => {
  let stores: Readonly<Record<'adobe' | 'woo', World>>;
  beforeAll(async () => {
    stores = { adobe: await startAdobe(), woo: await startWoo() };
  });
  afterAll(() => Promise.all(Object.values(stores).map((store) => store.close())));
  const wayOf = ({ manifest }: Platform, id: string) => {
    const connectMethod = manifest.connect.find((one) => one.id === id);
    if (!connectMethod?.keyForm) throw new Error(`${manifest.id} has no form ${id}`);
    return { ...connectMethod, keyForm: connectMethod.keyForm };
  };
  const integration = wayOf(adobeCommerce, 'integration');
  const apiKeys = wayOf(woocommerce, 'api_keys');
  const sending = (connectMethod: typeof integration, send: object): ConnectMethod => ({
    ...connectMethod,
    keyForm: { ...connectMethod.keyForm, send: { ...connectMethod.keyForm.send, ...send } },
  });

  test('is correct for Adobe Commerce and WooCommerce', async () => {
    expect(await signingViolations(adobeCommerce, stores.adobe, integration)).toEqual([]);
    expect(await signingViolations(woocommerce, stores.woo, apiKeys)).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      'the secrets of consumer and token exchanged',
      { secretField: 'access_token_secret', tokenSecretField: 'consumer_secret' },
      'has a signature of other keys',
    ],
    ['no token secret', { tokenSecretField: null }, 'has a signature of other keys'],
    ['no token', { tokenField: null }, 'names another token'],
    ['the secret as the consumer key', { keyField: 'consumer_secret' }, 'names another consumer key'],
  ])('is reported when requests are signed with %s', async (_, send, fault) => {
    const found = await signingViolations(adobeCommerce, stores.adobe, sending(integration, send));
    expect(found).toContainEqual(expect.stringContaining('identify is refused'));
    expect(found).toContainEqual(expect.stringContaining(`a request ${fault} at /`));
  });

  test('is reported when a secret is sent along', async () => {
    const found = await signingViolations(
      adobeCommerce,
      stores.adobe,
      sending(integration, { keyField: 'consumer_secret' }),
    );
    expect(found).toContainEqual(expect.stringContaining('a secret is sent in clear at /'));
  });

  test('is reported when both keys are sent over plain HTTP', async () => {
    const found = await signingViolations(
      woocommerce,
      stores.woo,
      sending(apiKeys, { signsOverHttp: false }),
    );
    expect(found).toContainEqual(
      expect.stringContaining('a request is not signed by a known algorithm at /'),
    );
    expect(found).toContainEqual(expect.stringContaining('a secret is sent in clear at /'));
  });

  test('is reported when a request is sent again with the same signature', async () => {
    const sent: string[] = [];
    const opening: typeof signedSession = async (platform, world, connectMethod, answers) => {
      const session = await signedSession(platform, world, connectMethod, answers);
      return {
        ...session,
        request: async (request) => {
          const outcome = await session.request(request);
          const last = world.received?.().at(-1);
          if (last && sent.push(last.url) === 1)
            await fetch(world.baseUrl + last.url, {
              headers: { authorization: last.headers.authorization ?? '' },
            });
          return outcome;
        },
      };
    };
    const found = await signingViolations(woocommerce, stores.woo, apiKeys, opening);
    expect(found).toContainEqual(expect.stringContaining('a nonce is used twice at /'));
  });

  test('is reported when the world accepts another algorithm or declares none', async () => {
    const other = { ...stores.woo, signatures: { api_keys: ['HMAC-SHA1'] } };
    expect(await signingViolations(woocommerce, other, apiKeys)).toContainEqual(
      expect.stringContaining('a request is signed by an algorithm that is not accepted at /'),
    );
    expect(await signingViolations(woocommerce, { ...stores.woo, signatures: {} }, apiKeys)).toEqual([
      'the world does not declare how api_keys signs',
    ]);
  });
});

describe('a token that a key signs', () => {
  // As Ghost documents it: https://docs.ghost.org/admin-api/#token-authentication
  const rules = {
    algorithm: 'HS256',
    scheme: 'Ghost',
    keyEncoding: 'hex',
    needsKeyId: true,
    claims: { aud: '/admin/' },
    lifetimeSecondsMax: 300,
  } as const satisfies TokenRules;
  const send = {
    kind: 'jwt',
    algorithm: 'HS256',
    keyField: 'key',
    keyEncoding: 'hex',
    keyId: { before: ':' },
    claims: rules.claims,
    lifetimeSeconds: 300,
    scheme: 'Ghost',
  } as const satisfies JwtFacts;
  // As App Store Connect documents it:
  // https://developer.apple.com/documentation/appstoreconnectapi/generating-tokens-for-api-requests
  const appleRules = {
    algorithm: 'ES256',
    scheme: 'Bearer',
    needsKeyId: true,
    claims: { aud: 'appstoreconnect-v1', iss: 'team-1' },
    lifetimeSecondsMax: 1_200,
    entered: { issuer: 'team-1' },
  } as const satisfies TokenRules;
  const appleSend = {
    kind: 'jwt',
    algorithm: 'ES256',
    keyField: 'key',
    keyId: { field: 'key_id' },
    claims: { aud: 'appstoreconnect-v1', iss: '{issuer}' },
    lifetimeSeconds: 1_200,
  } as const satisfies JwtFacts;

  const field = (name: string) => requiredField('password', name, name, 'As the platform displays it.');
  const methodOf = (id: string, facts: JwtFacts) =>
    keyLogin({
      id,
      label: 'Connect with a key',
      fields: ['key', 'key_id', 'issuer'].map(field),
      keyForm: { serverField: null, send: facts },
    });
  const [ghost, apple] = [methodOf('ghost', send), methodOf('apple', appleSend)];
  const signing: Platform = {
    ...template,
    manifest: { ...template.manifest, connect: [ghost, apple] },
  };
  const startSigning = async (): Promise<World> => ({
    ...(await startWorld()),
    tokens: { ghost: rules, apple: appleRules },
  });
  keysContract(signing, startSigning);

  const violations = async (
    facts: Partial<JwtFacts>,
    over: (world: World) => Partial<World> = () => ({}),
    open?: typeof openSessionWith,
  ) => {
    const signer = await startSigning();
    try {
      const running = { ...signer, ...over(signer) };
      return await tokenViolations(signing, running, methodOf('ghost', { ...send, ...facts }), open);
    } finally {
      await signer.close();
    }
  };

  test.each<[string, Partial<JwtFacts>, string]>([
    ['the secret as text', { keyEncoding: undefined }, 'has a signature of another key'],
    ['no id of the key', { keyId: null, keyEncoding: undefined }, 'names no key'],
    ['another scheme', { scheme: 'Bearer' }, 'has no token'],
    ['another audience', { claims: { aud: '/content/' } }, 'has other claims'],
    ['no audience', { claims: {} }, 'has other claims'],
    ['a lifetime of an hour', { lifetimeSeconds: 3_600 }, 'is valid for too long'],
    ['a lifetime of the difference between clocks', { lifetimeSeconds: 5 }, 'has expired'],
  ])('is reported when the manifest declares %s', async (_, facts, fault) => {
    const found = await violations(facts);
    expect(found).toContainEqual(expect.stringContaining('identify is refused'));
    expect(found).toContainEqual(expect.stringContaining(`a token ${fault} at /`));
  });

  test('is reported when the platform requires another algorithm', async () => {
    const tokens = { ghost: { ...rules, algorithm: 'RS256' } } as const;
    const form = violations({ keyEncoding: undefined }, () => ({ tokens }));
    expect(await form).toContainEqual(
      expect.stringContaining('a token is signed by an algorithm that is not accepted at /'),
    );
  });

  test('is reported when it expires for a server whose clock is ahead', async () => {
    expect(await violations({ lifetimeSeconds: 9 })).toEqual([
      'a token at a server whose clock differs by 5 s is refused: connection.needs_reauth',
    ]);
  });

  test('is reported when a session sends an expired one', async () => {
    const withoutClock: typeof openSessionWith = (platform, running, connectMethod, values) =>
      openSessionWith(platform, running, connectMethod, values);
    expect(await violations({}, undefined, withoutClock)).toContain(
      'a request after the first token expired is refused: connection.needs_reauth',
    );
  });

  test('is reported when the key is sent along', async () => {
    const leaking: typeof openSessionWith = async (platform, running, connectMethod, values, clock) => {
      const session = await openSessionWith(platform, running, connectMethod, values, clock);
      if (!session.ok) return session;
      const request: typeof session.value.request = (sent) =>
        session.value.request({ ...sent, headers: { ...sent.headers, 'x-key': values['key'] ?? '' } });
      return ok({ ...session.value, request });
    };
    expect(await violations({}, undefined, leaking)).toContain('the key is sent to /v1/me');
  });

  test('is reported when the simulated platform verifies none', async () => {
    const credulous = (signer: World): Partial<World> => ({
      takeSignedBy: (faultOf) => signer.takeSignedBy?.(faultOf && (() => null)),
    });
    expect(await violations({}, credulous)).toEqual([
      'the simulated platform accepts a signature of another key',
      'the simulated platform accepts an expired token',
      'the simulated platform accepts a key that was replaced',
    ]);
  });

  test('is reported when the world declares none', async () => {
    expect(await violations({}, () => ({ tokens: {} }))).toEqual([
      'the world does not declare which tokens ghost sends',
    ]);
  });
});

describe('accounts of two servers', () => {
  let stores: readonly [World, World];
  beforeAll(async () => {
    stores = [await startVendure(), await startVendure()];
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
  });
  /** Vendure with the IDs that its servers count from one, as the adapters of most platforms return them. */
  const local = (accountIds: 'global' | undefined): Platform => ({
    ...vendure,
    manifest: { ...vendure.manifest, accountIds },
    connecting: {
      identify: async (session) => {
        const accounts = await vendure.connecting.identify(session);
        if (!accounts.ok) return accounts;
        return ok(accounts.value.map((account) => ({ ...account, id: account.id.split('/').at(-1) ?? '' })));
      },
    },
  });

  test('with the same local ID are two accounts, because the ID is unique only within its server', async () => {
    expect(await serverViolations(local(undefined), ...stores)).toEqual([]);
  });

  test('are reported as one when the manifest declares local IDs as global', async () => {
    expect(await serverViolations(local('global'), ...stores)).toEqual([
      expect.stringContaining('two servers share the account'),
    ]);
  });
});
