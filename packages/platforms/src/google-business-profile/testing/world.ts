import {
  BUSINESS_MANAGE,
  googleBusinessProfileNetwork,
  type GoogleBusinessProfileOptions,
} from '@switchboard/simulators';
import { secondaryOriginsOf } from '@switchboard/platform-kit/testing/contract-context';
import { identifyAccount, startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import { testMediaAt } from '@switchboard/platform-kit/testing/test-media';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { connecting } from '../connecting.js';
import { manifest } from '../manifest.js';

const IMAGE =
  'A post has its image at an address of Google; `sourceUrl` is of the request only. https://developers.google.com/my-business/reference/rest/v4/accounts.locations.media';

const schedule = {
  event_title: 'Open day',
  event_start: '2026-12-01',
  event_end: '2026-12-31T22:45',
};
const event = { ...schedule, topic_type: 'event' };
const offer = { ...schedule, topic_type: 'offer' };

/** Google Business Profile as documented. */
export async function startWorld(options: GoogleBusinessProfileOptions = {}) {
  const network = googleBusinessProfileNetwork({
    now: tickingClock(),
    fetchFile: async (url) => testMediaAt(url)?.content ?? null,
    ...options,
  });
  const [location] = network.locations;
  const world = await startSimulator({
    account: {
      id: `${location?.account}/locations/${location?.id}`,
      username: null,
      name: null,
      avatarUrl: null,
      url: null,
    },
    simulator: network,
    owner: { account: network.user, scopes: [BUSINESS_MANAGE] },
    weakOwner: { account: network.user, scopes: [] },
    effects: () => network.posts.createdCount(),
    textOf: (name) => network.find(name)?.summary ?? '',
    mediaOf: (name) =>
      (network.find(name)?.files ?? []).map(({ type, sha256 }) => ({ type, sha256, altText: null })),
  });
  const otherOrigins = secondaryOriginsOf(manifest);
  return {
    ...world,
    network,
    otherOrigins,
    account: await identifyAccount(connecting, { ...world, otherOrigins }),
    edits: () => network.posts.edits().length,
    notReadBack: { 'its image': IMAGE },
    optionDefaults: { topic_type: 'standard', call_to_action: 'learn_more' },
    optionContent: {
      topic_type: () => ({ options: schedule }),
      event_title: () => ({ options: event }),
      event_start: () => ({ options: event }),
      event_end: () => ({ options: event }),
      call_to_action: () => ({ link: 'https://example.com/menu' }),
      coupon_code: () => ({ options: offer }),
      terms: () => ({ options: offer }),
    },
    optionSamples: {
      event_title: ['Tasting', 'Workshop'],
      event_start: ['2026-12-05T18:30', '2026-12-07T19:15'],
      event_end: ['2026-12-30T20:50', '2026-12-29T21:40'],
    },
    // https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts
    wireFields: {
      topic_type: 'topicType',
      call_to_action: 'actionType',
      coupon_code: 'couponCode',
      terms: 'termsConditions',
    },
    wireValues: {
      'topic_type=standard': 'STANDARD',
      'topic_type=event': 'EVENT',
      'topic_type=offer': 'OFFER',
      'event_title=Tasting': 'title=Tasting',
      'event_title=Workshop': 'title=Workshop',
      'event_start=2026-12-05T18:30': 'minutes=30',
      'event_start=2026-12-07T19:15': 'minutes=15',
      'event_end=2026-12-30T20:50': 'minutes=50',
      'event_end=2026-12-29T21:40': 'minutes=40',
      ...Object.fromEntries(
        ['book', 'order', 'shop', 'learn_more', 'sign_up', 'call'].map((action) => [
          `call_to_action=${action}`,
          action.toUpperCase(),
        ]),
      ),
    },
    // Protocol buffers omit what is empty in JSON: https://protobuf.dev/programming-guides/json/
    omittedFields: [
      'localPosts',
      ...['summary', 'callToAction', 'event', 'offer', 'media'].map((name) => `localPosts.*.${name}`),
    ],
  } satisfies ExtendedWorld;
}
