import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { undiciOutbound } from '@switchboard/egress';
import { atprotoDirectory } from './atproto-directory.js';

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';
const service = [
  { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: 'https://pds.example.com/' },
];
const answers = new Map<string, [number, unknown]>([
  ['/xrpc/com.atproto.identity.resolveHandle?handle=alice.test', [200, { did }]],
  ['/xrpc/com.atproto.identity.resolveHandle?handle=bad.test', [200, { did: 'did:evil:x' }]],
  ['/xrpc/com.atproto.identity.resolveHandle?handle=down.test', [503, {}]],
  [`/${encodeURIComponent(did)}`, [200, { id: did, service }]],
]);
let server: http.Server;
let url: string;
const outbound = undiciOutbound({
  allowPrivateHosts: ['127.0.0.1'],
  userAgent: 'test',
  resolve: () => Promise.reject(new Error('no name')),
});
beforeAll(async () => {
  server = http.createServer(({ url: path = '' }, response) => {
    const [status, body] = answers.get(path) ?? [400, { error: 'InvalidRequest' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await outbound.close();
  await new Promise((resolve) => server.close(resolve));
});
const directory = () => atprotoDirectory({ outbound, handleResolverUrl: url, plcDirectoryUrl: url });

test('resolves a handle through the configured resolver', async () => {
  expect(await directory().resolveDid('alice.test')).toEqual({ kind: 'found', value: did });
  expect(await directory().resolveDid('nobody.test')).toEqual({ kind: 'unknown' });
  expect(await directory().resolveDid('bad.test')).toEqual({ kind: 'unknown' });
  expect(await directory().resolveDid('down.test')).toEqual({ kind: 'unavailable' });
});

test('reads the account’s server from its DID document', async () => {
  expect(await directory().resolveServer(did)).toEqual({ kind: 'found', value: 'https://pds.example.com' });
  expect(await directory().resolveServer('did:plc:aaaaaaaaaaaaaaaaaaaaaaaa')).toEqual({ kind: 'unknown' });
  expect(await directory().resolveServer('did:plc:../../x')).toEqual({ kind: 'unknown' });
});

test.each([
  ['another account’s document', { id: 'did:plc:other', service }],
  ['a document without a server', { id: did, service: [] }],
  ['a server of another kind', { id: did, service: [{ ...service[0], type: 'Other' }] }],
  ['a server that is no URL', { id: did, service: [{ ...service[0], serviceEndpoint: 'x' }] }],
  ['no document', null],
])('%s names no server', async (_what, document) => {
  const path = `/${encodeURIComponent(did)}`;
  const before = answers.get(path);
  answers.set(path, [200, document]);
  expect(await directory().resolveServer(did)).toEqual({ kind: 'unknown' });
  if (before) answers.set(path, before);
});

test('without a resolver, a handle is resolved through DNS, and two contradicting records are ignored', async () => {
  const withRecords = (...records: string[]) =>
    atprotoDirectory({
      outbound,
      handleResolverUrl: null,
      plcDirectoryUrl: url,
      resolveTxt: async () => records.map((text) => [text]),
    });
  expect(await withRecords('v=spf1', `did=${did}`).resolveDid('alice.example')).toEqual({
    kind: 'found',
    value: did,
  });
  expect(await withRecords(`did=${did}`, 'did=did:web:x.example').resolveDid('alice.example')).toEqual({
    kind: 'unknown',
  });
  expect(await withRecords().resolveDid('alice.example')).toEqual({ kind: 'unknown' });
});
