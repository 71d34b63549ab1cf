import { expect, test } from '@jest/globals';
import type { ConnectMethod, LoginRequest, Manifest } from '@switchboard/domain/ports';
import { undiciOutbound } from '@switchboard/egress';
import { ALL_RESOURCES, startAdobeCommerce } from '@switchboard/simulators';
import { keyFormAuthorizer } from './key-form-authorizer.js';
import { createTestStore } from './testing/create-test-store.js';

const keys = {
  consumerKey: 'ck_1',
  consumerSecret: 'cs_2',
  token: 'at_3',
  tokenSecret: 'as=4',
};

test('a store that verifies signatures accepts a search with brackets, spaces and ten groups', async () => {
  const store = await startAdobeCommerce({ integrations: [{ ...keys, resources: ALL_RESOURCES }] });
  try {
    const outbound = undiciOutbound({ allowPrivateHosts: [new URL(store.url).host], userAgent: 'test' });
    const origins = () => ({ baseUrl: store.url, authBaseUrl: null });
    const scheme = keyFormAuthorizer({ outbound, clock: createTestStore().clock, origins, allowHttp: true });
    const connectMethod = {
      id: 'integration',
      scheme: 'key_form',
      keyForm: {
        serverField: 'store',
        send: {
          kind: 'oauth1',
          keyField: 'key',
          secretField: 'secret',
          tokenField: 'token',
          tokenSecretField: 'token_secret',
        },
      },
    } as unknown as ConnectMethod;
    const manifest = {
      name: 'Adobe Commerce',
      connect: [connectMethod],
      permissions: {},
    } as unknown as Manifest;
    const transport = async (tokenSecret: string) => {
      const answers = { store: store.url, key: keys.consumerKey, secret: 'cs_2', token: keys.token };
      const request = {
        manifest,
        connectMethod,
        signal: new AbortController().signal,
      } as unknown as LoginRequest;
      const grant = await scheme.login({
        ...request,
        fieldValues: { ...answers, token_secret: tokenSecret },
      });
      if (!grant.ok) throw new Error(grant.failure.message);
      return scheme.open(grant.value.credential);
    };
    const url = new URL(`${store.url}/rest/V1/orders`);
    for (let group = 0; group < 10; group++) {
      const name = `searchCriteria[filterGroups][${group}][filters][0]`;
      url.searchParams.set(`${name}[field]`, 'created_at');
      url.searchParams.set(`${name}[conditionType]`, 'gteq');
      url.searchParams.set(`${name}[value]`, `2026-10-01 0${group}:00:00`);
    }
    const status = async (signer: Awaited<ReturnType<typeof transport>>) => {
      const answer = await signer.send({ method: 'GET', url: url.href });
      return answer.kind === 'answered' ? answer.status : answer.kind;
    };
    const correctSigner = await transport(keys.tokenSecret);
    expect([await status(correctSigner), await status(correctSigner)]).toEqual([200, 200]);
    expect(await status(await transport('as_5'))).toBe(401);
    // Why the limit is ten: the store sorts an eleventh group differently from OAuth 1.0a.
    url.searchParams.set('searchCriteria[filterGroups][10][filters][0][field]', 'created_at');
    expect(await status(correctSigner)).toBe(401);
  } finally {
    await store.close();
  }
});
