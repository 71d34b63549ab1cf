import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { publishing } from './publishing.js';

const ACCOUNT = '0190a5b2-6f1e-7c3a-9d1b-2f0c5e8a7b11';
const STATUS = '0190a5b3-1111-7c3a-9d1b-2f0c5e8a7b22';
const GONE = '0190a5b3-2222-7c3a-9d1b-2f0c5e8a7b33';

/** Bodies of other software with Mastodon's API, whose IDs are UUIDs. */
const server = fixtureReplay(import.meta.dirname, `${ACCOUNT}@hollo.example`);

test('finding 20: a server whose IDs are UUIDs is connected, posted to, read back and counted', async () => {
  await server.start('uuid-server');
  const session = server.session();
  const found = await connecting.identify(session);
  expect(found).toMatchObject({ ok: true, value: [{ id: expect.stringMatching(`^${ACCOUNT}@`) }] });
  const item = buildItem('Firing the kiln');
  const part = { externalId: STATUS, url: expect.stringContaining(STATUS) };
  expect(await publishing.publish(session, item, discardReceipt)).toMatchObject({ ok: true, value: part });
  expect(await publishing.find?.(session, item)).toMatchObject({ ok: true, value: part });
  expect(await analytics.ofAccount?.(session)).toEqual({ ok: true, value: { ...noMetrics, followers: 12 } });
});

test('finding 32: if a server has no list of statuses, each is requested separately', async () => {
  await server.start('uuid-server');
  const read = await analytics.ofPosts(server.session(), [STATUS, GONE]);
  expect(read.ok && Object.fromEntries(read.value)).toEqual({
    [STATUS]: { ...noMetrics, likes: 3, comments: 1, shares: 2 },
  });
});

test('a status whose text a server does not return requires a manual check, and is not sent again', async () => {
  await server.start('no-source');
  expect(await publishing.find?.(server.session(), buildItem('Firing the kiln'))).toMatchObject({
    failure: { code: 'platform.outcome_unknown' },
  });
});

test('finding 20: an account that cannot be read is reported with the field, and without any value', async () => {
  await server.start('unreadable-account');
  expect(await connecting.identify(server.session())).toMatchObject({
    failure: {
      code: 'platform.invalid_response',
      message: expect.stringMatching(/invalid response \(id: .*expected string/),
    },
  });
});

test('a status with another visibility than requested requires a manual check, when it is sent and when it is looked up', async () => {
  await server.start('other-visibility');
  const session = server.session();
  const item = buildItem('Firing the kiln', { options: { visibility: 'public' } });
  const other = {
    failure: {
      code: 'platform.outcome_unknown',
      message: expect.stringContaining('visibility private instead of public'),
    },
  };
  expect(await publishing.publish(session, item, discardReceipt)).toMatchObject(other);
  expect(await publishing.find?.(session, item)).toMatchObject(other);
});
