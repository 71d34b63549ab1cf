import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { scopes } from '@switchboard/domain';
import { connectAccount, eur, refundableOrders } from './support/connected-store.js';
import { objects, text } from './support/json.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { startSwitchboard, type Switchboard } from './support/switchboard.js';

const AT_ONCE = 20;
const STORE = 'alder-oak';

let switchboard: Switchboard;
let operator: Operator;
let admin: RestClient;
/** Four processes on one database. */
let urls: readonly string[];
beforeAll(async () => {
  switchboard = await startSwitchboard({ name: 'refund_ceiling' });
  operator = await openOperator(switchboard);
  admin = restClient(switchboard.url, switchboard.keys.full);
  const replicas = await Promise.all([1, 2, 3].map(() => switchboard.startReplica()));
  urls = [switchboard.url, ...replicas.map(({ url }) => url)];
}, 180_000);
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

test(`a ceiling of a day holds for a whole family, asked ${AT_ONCE} times at once over four processes while its key is rotated`, async () => {
  const connectionId = await connectAccount(admin, 'sandbox_store', STORE);
  const taken = (await refundableOrders(admin, connectionId)).slice(0, AT_ONCE);
  expect(taken.length).toBeGreaterThan(8);
  const eachMinor = 100;
  const may = Math.floor(taken.length / 2);
  // Half a refund more than that: what is left over is not rounded up either.
  const perDayMinor = may * eachMinor + eachMinor / 2;
  const sandbox = sandboxControl(switchboard.sandboxUrl);
  const key = await operator.makeKey({
    scopes,
    policy: { refundCeilings: [{ currency: 'EUR', perRefundMinor: eachMinor, perDayMinor }] },
  });
  // One of them stays in doubt: it may have happened, and counts.
  await sandbox.fault({ platform: 'store', kind: 'reset-after-effect', match: { method: 'POST' } });
  const rotated = await admin.expect(201, 'POST', `/keys/${key.id}/rotate`, {
    body: { overlap_seconds: 60 },
  });
  const tokens = [key.token, text(rotated['secret'])];
  const answers = await Promise.all(
    taken.map(({ id }, index) =>
      restClient(urls[index % urls.length] ?? '', tokens[Math.floor(index / urls.length) % 2] ?? '').post(
        `/ecommerce/orders/${id}/refund`,
        { amount: eur(eachMinor) },
      ),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(may);
  for (const { status, json } of answers.filter((answer) => answer.status !== 201)) {
    expect([status, json['code']]).toEqual([403, 'key.refund_ceiling_exceeded']);
  }
  const effects = await sandbox.ledger('refund.created', STORE);
  expect(effects.map(({ amount }) => Number(amount))).toEqual(Array<number>(may).fill(eachMinor));
  for (const token of tokens) {
    const me = await restClient(urls[3] ?? '', token).expect(200, 'GET', '/me');
    expect(objects(me['ceiling_remaining'])).toMatchObject([{ currency: 'EUR', per_day_left: '0.50' }]);
  }
});
