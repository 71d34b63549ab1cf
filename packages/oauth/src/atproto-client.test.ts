import { JoseKey } from '@atproto/oauth-client-node';
import { expect, test } from '@jest/globals';
import { Secret } from '@switchboard/domain';
import type { Manifest } from '@switchboard/domain/ports';
import { createClientConfig } from './atproto-authorizer.js';
import {
  atprotoClient,
  createClientMetadata,
  loadSigningKeys,
  type AtprotoOptions,
} from './atproto-client.js';

const manifest = {
  id: 'bluesky',
  permissions: { publishing: ['transition:generic'] },
} as unknown as Manifest;

async function createHostedOptions(): Promise<AtprotoOptions> {
  const key = await JoseKey.generate(['ES256'], 'key-1');
  return {
    fetch: () => Promise.reject(new Error('nothing is asked here')),
    publicUrl: 'https://connect.example.com',
    clientName: 'Switchboard',
    keys: async () => [new Secret(JSON.stringify(key.privateJwk))],
    plcDirectoryUrl: null,
    handleResolverUrl: null,
    allowHttp: false,
  };
}

const emptyDirectory = {
  resolveDid: () => Promise.reject(new Error()),
  resolveServer: () => Promise.reject(new Error()),
};

test('a hosted client publishes metadata at its ID and signs with the keys that it publishes', async () => {
  const options = await createHostedOptions();
  const facts = createClientConfig(options.publicUrl, [manifest]);
  expect(createClientMetadata(options, facts)).toMatchObject({
    client_id: 'https://connect.example.com/oauth/atproto/client-metadata.json',
    redirect_uris: ['https://connect.example.com/oauth/callback/bluesky'],
    scope: 'atproto transition:generic',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: 'https://connect.example.com/oauth/atproto/jwks.json',
    dpop_bound_access_tokens: true,
  });
  const client = await atprotoClient(options, facts, emptyDirectory, new Map(), {
    state: null,
    session: null,
  });
  expect(client.jwks.keys).toMatchObject([{ kid: 'key-1', kty: 'EC', crv: 'P-256' }]);
});

test('the published keys contain only the public half', async () => {
  const [key] = await loadSigningKeys(await createHostedOptions());
  expect(key?.publicJwk).toMatchObject({ kid: 'key-1' });
  expect(JSON.stringify(key?.publicJwk)).not.toContain('"d"');
});

test('a loopback client needs no key and encodes its metadata in its ID', async () => {
  const options = { ...(await createHostedOptions()), publicUrl: 'http://127.0.0.1:3000', allowHttp: true };
  const facts = createClientConfig(options.publicUrl, [manifest]);
  const client = await atprotoClient(options, facts, emptyDirectory, new Map(), {
    state: null,
    session: null,
  });
  const { client_id: id, token_endpoint_auth_method: method } = client.clientMetadata;
  expect(client.jwks.keys).toEqual([]);
  expect(id).toMatch(/^http:\/\/localhost\?/);
  expect(new URL(id ?? '').searchParams.get('redirect_uri')).toBe(
    'http://127.0.0.1:3000/oauth/callback/bluesky',
  );
  expect(method).toBe('none');
});
