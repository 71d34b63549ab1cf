import {
  observedExchange,
  pinterestNetwork,
  PINTEREST_SCOPES,
  type ObservedExchange,
  type PinterestOptions,
} from '@switchboard/simulators';
import { startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import { videoOf } from '@switchboard/platform-kit/testing/test-media';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';

const COVER =
  'A pin with a video has the URL of its cover; the second it shows, `cover_image_key_frame_time`, is of the request only. https://github.com/pinterest/api-description (PinMediaWithVideo, 5.23.0)';

/** Pinterest as described and documented. */
export async function startWorld(options: PinterestOptions = {}) {
  const network = pinterestNetwork({ now: tickingClock(), ...options });
  const { id, username, businessName } = network.account;
  const world = await startSimulator({
    account: {
      id,
      username,
      name: businessName,
      url: `https://www.pinterest.com/${username}/`,
      avatarUrl: 'https://i.pinimg.com/280x280_RS/alice.jpg',
    },
    simulator: network,
    owner: { account: id, scopes: PINTEREST_SCOPES },
    weakOwner: { account: id, scopes: ['user_accounts:read'] },
    effects: () => network.pins.createdCount(),
    textOf: (pin) => network.pins.find(pin)?.description ?? '',
    titleOf: (pin) => network.pins.find(pin)?.title ?? null,
    // One text for all, line by line.
    mediaOf(pin) {
      const { files = [], altText = null } = network.pins.find(pin) ?? {};
      const lines = altText?.split('\n') ?? [];
      return files.map((file, at) => ({ ...file, altText: lines[at] ?? null }));
    },
  });
  const [board] = network.boards;
  return {
    ...world,
    needs: { options: { board_id: board?.id } },
    optionSamples: { cover_second: ['2', '3'] },
    optionContent: { cover_second: () => ({ media: [videoOf()] }) },
    // https://github.com/pinterest/api-description (PinMediaSourceVideoID)
    wireFields: { cover_second: 'cover_image_key_frame_time' },
    wireValues: Object.fromEntries(
      network.boards.flatMap(({ id, sections }) =>
        sections.map((section) => [`board_id=${id}/${section.id}`, `board_section_id=${section.id}`]),
      ),
    ),
    network,
    /** The requests to Pinterest itself and the responses, oldest first. */
    exchanges: (): readonly ObservedExchange[] =>
      world
        .exchanges()
        .filter(({ request }) => request.path.startsWith('/v5/'))
        .map((one) => observedExchange(one, '/v5')),
    notReadBack: {
      'its image':
        'A pin has its images as URLs at i.pinimg.com and a dominant color; `media_source` is of the request only. https://github.com/pinterest/pinterest-python-generated-api-client/blob/main/docs/PinCreate.md',
      'its option cover_second': COVER,
      'having no option cover_second': COVER,
    },
    // Nullable in the description: for a pin without text.
    omittedFields: ['items.*.description'],
  } satisfies ExtendedWorld;
}
