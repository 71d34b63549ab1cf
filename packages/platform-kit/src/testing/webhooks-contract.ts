import { describe, expect, test } from '@jest/globals';
import { Secret } from '@switchboard/domain';
import type { OrderWebhooks, WebhookTarget } from '@switchboard/domain/ports';
import type { WebhookDelivery } from '@switchboard/simulators';
import type { ContractContext } from './contract-context.js';
import type { Breakage } from './world.js';

const ORIGIN = 'https://switchboard.example/store-webhooks';
const lostResponses: readonly Breakage[] = ['500-after', 'reset-after-effect', '2xx-truncated'];

/** Registration can be repeated in any state, and only what the store signed is accepted. */
export function webhooksContract({ open, value, world }: ContractContext, webhooks: OrderWebhooks): void {
  let addresses = 0;
  const newTarget = (): WebhookTarget => ({ url: `${ORIGIN}/${++addresses}`, externalIds: [] });
  const store = () => {
    const { webhooks: stored } = world();
    if (!stored) throw new Error('the world has no webhooks, although its orders do');
    return stored;
  };
  const storedFor = ({ url }: Pick<WebhookTarget, 'url'>) =>
    store()
      .list()
      .filter((one) => one.url === url);
  const chosen = new Secret('a secret that we chose');

  async function register(target: WebhookTarget) {
    const secret = webhooks.secret === 'app' ? new Secret(store().appSecret ?? '') : chosen;
    const passed = webhooks.secret === 'issued' ? null : secret;
    const registered = await webhooks.register(open(), { ...target, secret: passed });
    const used = registered.ok ? (registered.value.secret ?? secret) : secret;
    return { registered, secret: used };
  }
  async function registered(target = newTarget()) {
    const { registered: result, secret } = await register(target);
    const { externalIds } = value(result);
    const read = ({ url, headers, body }: WebhookDelivery, with_ = secret, as = world().account) =>
      webhooks.read({ url, headers, body: new TextEncoder().encode(body), secret: with_, account: as });
    const deliveries = () =>
      store()
        .deliveriesOf('4711')
        .filter(({ url }) => url === target.url);
    return { target: { ...target, externalIds }, secret, read, deliveries };
  }
  const ids = (webhooksOfStore: readonly { readonly id: string }[]) =>
    webhooksOfStore.map(({ id }) => id).sort();

  describe('webhooks of the store', () => {
    test('are registered once, however often that is repeated', async () => {
      const { target } = await registered();
      expect(storedFor(target).length).toBeGreaterThan(0);
      expect(ids(storedFor(target))).toEqual([...target.externalIds].sort());
      const again = await registered(target);
      expect(again.target.externalIds).toEqual(target.externalIds);
      await registered({ ...target, externalIds: [] });
      expect(ids(storedFor(target))).toEqual([...target.externalIds].sort());
    });

    test.each(lostResponses)('are registered once although an attempt ended with %s', async (how) => {
      const target = newTarget();
      world().break(how, 1);
      expect((await register(target)).registered.ok).toBe(false);
      expect(storedFor(target)).toHaveLength(1);
      const { target: known } = await registered(target);
      expect(ids(storedFor(target))).toEqual([...known.externalIds].sort());
    });

    test('move to a new URL, and are registered again when the store has disabled them', async () => {
      const { target } = await registered();
      const moved = await registered({ ...newTarget(), externalIds: target.externalIds });
      expect(storedFor(target)).toEqual([]);
      for (const { id } of storedFor(moved.target)) store().disable?.(id);
      const { target: again } = await registered(moved.target);
      expect(storedFor(again).every(({ isActive }) => isActive)).toBe(true);
      expect(ids(storedFor(again))).toEqual([...again.externalIds].sort());
    });

    test('are removed by their IDs or their URL, once or again, and no others', async () => {
      const [one, other] = [await registered(), await registered()];
      expect(value(await webhooks.remove(open(), { ...one.target, url: `${ORIGIN}/moved` }))).toBeUndefined();
      expect(storedFor(one.target)).toEqual([]);
      expect(value(await webhooks.remove(open(), one.target))).toBeUndefined();
      expect(storedFor(other.target).length).toBeGreaterThan(0);
      await webhooks.remove(open(), { ...other.target, externalIds: [] });
      expect(storedFor(other.target)).toEqual([]);
    });

    test('name the order, and have an ID that is theirs alone, also when they are sent again', async () => {
      const { read, deliveries } = await registered();
      const sent = [...deliveries(), ...deliveries(), ...deliveries()];
      const read1 = sent.map((delivery) => read(delivery));
      const read2 = sent.map((delivery) => read(delivery));
      expect(read1).toEqual(read2);
      const deliveryIds = read1.map((reading) =>
        reading.kind === 'order' ? reading.deliveryId : reading.kind,
      );
      expect(read1.every((reading) => reading.kind === 'order' && reading.externalId === '4711')).toBe(true);
      expect(new Set(deliveryIds).size).toBe(sent.length);
    });

    test('are forged without a valid signature', async () => {
      const { read, deliveries } = await registered();
      const [delivery] = deliveries();
      if (!delivery) throw new Error('nothing was sent');
      const { headers } = delivery;
      expect(read(delivery, new Secret('another secret'))).toEqual({ kind: 'forged' });
      expect(read({ ...delivery, headers: {} })).toEqual({ kind: 'forged' });
      const signatures = Object.keys(headers).filter((name) => /hmac|signature|secret/.test(name));
      expect(signatures).toHaveLength(1);
      for (const name of signatures) {
        for (const wrong of ['', 'x', `${headers[name]}=`, headers[name]?.slice(1) ?? '']) {
          expect(read({ ...delivery, headers: { ...headers, [name]: wrong } })).toEqual({ kind: 'forged' });
        }
      }
      const changed = read({ ...delivery, body: delivery.body.replace('4711', '4712') });
      expect(changed.kind).toBe(store().bodyIsUnsigned === undefined ? 'forged' : 'order');
    });

    test('in another format are acknowledged without effect, when they are signed', async () => {
      const { target } = await registered();
      for (const body of ['', '{', '[]', '{}', '{"id":null}', '{"data":{"type":"product","id":1}}']) {
        const { delivery, secret } = store().sign(target.url, body, chosen.reveal());
        const bytes = new TextEncoder().encode(body);
        const request = { ...delivery, body: bytes, secret: new Secret(secret), account: world().account };
        expect([body, webhooks.read(request)]).toEqual([body, { kind: 'nothing' }]);
      }
    });
  });
}
