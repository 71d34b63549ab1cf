import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ok } from '@switchboard/domain';
import type { PlatformResponse, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { connecting } from './connecting.js';
import { publishing } from './publishing.js';

type RecordedExchange = Record<string, { readonly status: number; readonly json: unknown }>;
const answers = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'fixtures/answers.json'), 'utf8'),
) as RecordedExchange;

const DID = 'did:plc:4bj6hbrwtbrtweicgcm3wjm6';
const URI = `at://${DID}/app.bsky.feed.post/3m64vzjzq2k2a`;

/** A transport that returns a real server's recorded responses in order. */
function line(...names: string[]): Session {
  const waiting = [...names];
  return {
    account: { id: DID, username: null, name: null, avatarUrl: null, url: null },
    connectMethod: 'oauth',
    baseUrl: 'http://127.0.0.1:9',
    apiVersion: null,
    grantedPermissions: [],
    signal: new AbortController().signal,
    async request() {
      const recorded = answers[waiting.shift() ?? ''];
      if (!recorded) throw new Error('more requests than recorded responses');
      const { status, json } = recorded;
      return ok<PlatformResponse>({ status, ok: status < 300, headers: {}, body: new Uint8Array(), json });
    },
  };
}

const published = { ok: true, value: { externalId: URI } };
const refusedAs = (code: string) => ({ ok: false, failure: { code } });
const { find, remove } = {
  find: publishing.find?.bind(publishing),
  remove: publishing.remove?.bind(publishing),
};

describe('the response of a real server', () => {
  test('to a post, and to the same post again', async () => {
    expect(await publishing.publish(line('putRecord'), buildItem('hi'), discardReceipt)).toMatchObject(
      published,
    );
    expect(await publishing.publish(line('putSameAgain'), buildItem('hi'), discardReceipt)).toMatchObject(
      published,
    );
  });

  test('to a post whose key another attempt has used', async () => {
    expect(
      await publishing.publish(line('putOther', 'getRecord'), buildItem('hi'), discardReceipt),
    ).toMatchObject(published);
    expect(
      await publishing.publish(line('putOther', 'getNothing'), buildItem('hi'), discardReceipt),
    ).toMatchObject(refusedAs('platform.refused'));
  });

  test('to mentions that do and do not resolve', async () => {
    const names = ['resolveHandle', 'resolveNobodyHere', 'resolveNobodyElsewhere', 'putRecord'];
    const item = buildItem('@bob.test @nobody.test @nobody.invalid');
    expect(await publishing.publish(line(...names), item, discardReceipt)).toMatchObject(published);
  });

  test('to a text that is too long', async () => {
    expect(await publishing.publish(line('tooLong'), buildItem('x'), discardReceipt)).toMatchObject({
      failure: { code: 'platform.refused', platform: { code: 'InvalidRequest', name: 'Bluesky' } },
    });
  });

  test('to a file that it no longer has, and to the same file again', async () => {
    const item = buildItem('hi', { media: [imageOf()] });
    const names = ['uploadBlob', 'putWithLostFile', 'uploadBlob', 'putRecord'];
    expect(await publishing.publish(line(...names), item, discardReceipt)).toMatchObject(published);
    expect(
      await publishing.publish(line(...names.slice(0, 3), 'putWithLostFile'), item, discardReceipt),
    ).toMatchObject(refusedAs('platform.refused'));
  });

  test('to a file that is too large for the server, and to an image that is too large for Bluesky', async () => {
    const item = buildItem('hi', { media: [imageOf()] });
    expect(await publishing.publish(line('uploadTooLarge'), item, discardReceipt)).toMatchObject({
      failure: { code: 'platform.refused', platform: { code: 'PayloadTooLarge' } },
    });
    expect(
      await publishing.publish(line('uploadBlob', 'putWithLargeImage'), item, discardReceipt),
    ).toMatchObject({ failure: { code: 'platform.refused', platform: { code: 'InvalidRequest' } } });
  });

  test('to looking up a post', async () => {
    expect(await find?.(line('getRecord'), buildItem('hi'))).toMatchObject(published);
    expect(await find?.(line('getNothing'), buildItem('hi'))).toEqual(ok(null));
  });

  test('to a removal, and to a second one', async () => {
    const part = { index: 0, status: 'published', externalId: URI, url: null, receipt: {} } as const;
    expect(await remove?.(line('deleteRecord'), part)).toEqual(ok());
    expect(await remove?.(line('deleteNothing'), part)).toEqual(ok());
  });

  test('to identifying the account while its app view was unreachable', async () => {
    const session = line('getSession', 'getNothing', 'describeServer');
    expect(await connecting.identify(session)).toMatchObject({
      ok: true,
      value: [
        {
          id: DID,
          username: 'alice.test',
          name: null,
          mediaLimits: { videos: { maxBytes: 5_242_880 } },
        },
      ],
    });
  });

  test('to a garbled token', async () => {
    expect(await connecting.identify(line('garbledToken'))).toMatchObject(
      refusedAs('connection.needs_reauth'),
    );
  });
});
