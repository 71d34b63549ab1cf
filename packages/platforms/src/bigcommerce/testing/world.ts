import {
  BIGCOMMERCE_SCOPES,
  bigCommerceStore,
  type BigCommerceOptions,
  type BigCommerceStore,
  type WireAnswer,
} from '@switchboard/simulators';
import { headerPlace } from '../../kit/testing/key-place.js';
import { startSimulator, type SimulatedAnswer } from '../../kit/testing/simulator.js';
import type { World } from '../../kit/testing/world.js';

export interface BigCommerceWorld extends World {
  readonly store: BigCommerceStore;
  /** What was asked, as `GET /v2/orders`, the oldest first. */
  asked(): readonly string[];
  pass(minutes: number): void;
}

/** A store as its documentation describes it. Its clock moves a second with every look at it. */
export async function startWorld(options: BigCommerceOptions = {}): Promise<BigCommerceWorld> {
  let seconds = Date.parse('2026-11-22T12:00:00.000Z') / 1_000;
  const store = bigCommerceStore({ now: () => new Date(++seconds * 1_000), ...options });
  const asked: string[] = [];
  const home = `/stores/${store.hash}`;
  const plain = ({ status, json, headers }: WireAnswer): SimulatedAnswer => ({
    status,
    json,
    ...(headers && { headers }),
  });
  const world = await startSimulator({
    account: { id: store.hash, username: null, name: null, avatarUrl: null, url: null },
    expired: { status: 401, json: { status: 401, title: 'Unauthorized' } },
    unknown: { status: 401, json: { status: 401, title: 'Unauthorized' } },
    weak(request) {
      const answer = plain(store.answerAs(request, ['store_v2_information_read_only']));
      return answer.status === 403 ? answer : null;
    },
    call(request) {
      asked.push(`${request.method} ${request.path.replace(home, '')}`);
      return plain(store.answerAs(request, BIGCOMMERCE_SCOPES));
    },
    effects: () => store.refunds.made(),
    textOf: () => '',
  });
  return {
    ...world,
    // Read on 2026-11-23, https://developer.bigcommerce.com/docs/start/authentication#access-tokens (bigcommerce/docs, e28efd5):
    // "Pass the access token as the value of the `X-Auth-Token` header".
    keyPlaces: { api_account: headerPlace('X-Auth-Token') },
    baseUrl: world.baseUrl + home,
    store,
    asked: () => asked,
    pass: (minutes) => void (seconds += minutes * 60),
    readsBeforeRefund: 1,
    refundTarget: { orderId: '131', paymentId: 'provider', currency: 'USD' },
  };
}
