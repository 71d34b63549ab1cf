import { describe, expect, test } from '@jest/globals';
import { nextCall } from '@switchboard/domain';
import { catalog } from './catalog.js';

const connection = 'con_01kah3v5w8e2m6r9t0x4y7z1ab';
const profile = 'prf_01kah3v5w8e2m6r9t0x4y7z1ab';
const post = 'pst_01kah3v5w8e2m6r9t0x4y7z1ab';
const order = 'ord_AWNvbl8wMWthaDN2NXc4ZTJtNnI5dDB4NHk3ejFhYi9zb185ZjJr';

type Table = typeof nextCall;
/** Each operation with every shape of arguments that the code gives it. */
const given: { readonly [Name in keyof Table]: readonly Parameters<Table[Name]>[] } = {
  repeat: [['listPosts', { status: ['failed'] }]],
  getMe: [[]],
  listPlatforms: [[]],
  getPlatform: [['bluesky']],
  listProfiles: [[]],
  getProfile: [[profile]],
  getQueue: [[profile]],
  startConnect: [
    [{ connection_id: connection }],
    [{ profile_id: profile }],
    [{ profile_id: profile, platform: 'bluesky' }],
  ],
  listConnections: [[], [{ profile_id: profile }], [{ profile_id: profile, platform: ['bluesky'] }]],
  getConnection: [[connection]],
  getPublishingOptions: [[connection]],
  listPosts: [[]],
  getPost: [[post]],
  recheckDelivery: [[post, 'dlv_01kah3v5w8e2m6r9t0x4y7z1ab']],
  retryPost: [[post, 'dlv_01kah3v5w8e2m6r9t0x4y7z1ab']],
  listMedia: [[]],
  listOrders: [[]],
  getOrder: [[order]],
  quoteRefund: [
    [order],
    [order, { amount: '12.34' }],
    [
      order,
      { full: true, reason: 'damaged', note: 'as agreed', notify_customer: false, allow_offline: true },
    ],
    [
      order,
      { amount: '1.00', line_items: [{ id: 'li_1', quantity: 1, restock: true }], lines_are: 'restock_only' },
    ],
    [
      order,
      {
        line_items: [{ id: 'li_1', quantity: 1, location_id: 'loc_1' }],
        shipping: '3.00',
        payment_id: 'pay_1',
      },
    ],
  ],
  listRefunds: [[], [order]],
  getRefund: [['rfd_01kah3v5w8e2m6r9t0x4y7z1ab']],
  recheckRefund: [['rfd_01kah3v5w8e2m6r9t0x4y7z1ab']],
  listApprovals: [[{ post_id: post }], [{ refund_id: 'rfd_01kah3v5w8e2m6r9t0x4y7z1ab' }]],
  listAttention: [[]],
  listKeys: [[]],
  getKey: [['key_01kah3v5w8e2m6r9t0x4y7z1ab']],
  listWebhooks: [[]],
  getWebhook: [['whk_01kah3v5w8e2m6r9t0x4y7z1ab']],
  updateWebhook: [['whk_01kah3v5w8e2m6r9t0x4y7z1ab']],
  getWorkspace: [[]],
  getPlatformApp: [['mastodon'], ['mastodon', profile]],
};

describe('every call that a failure or an item may name can be sent unchanged', () => {
  const made = Object.entries(given).flatMap(([name, each]) =>
    each.map(
      (args, at) =>
        [
          name,
          at,
          (nextCall[name as keyof Table] as (...args: unknown[]) => ReturnType<Table['getMe']>)(...args),
        ] as const,
    ),
  );
  test.each(made)('%s %i', (_name, _at, { operation: name, arguments: sent }) => {
    const operation = catalog.find((one) => one.name === name);
    expect(operation?.input.safeParse(sent).error).toBeUndefined();
    if (operation?.tool) expect(operation.mcpInput.safeParse(sent).error).toBeUndefined();
  });
});
