import { definePlatform } from '@switchboard/platform-kit/define-platform';
import { platformContract } from '@switchboard/platform-kit/testing/contract';
import discord from './index.js';
import { startWorld } from './testing/world.js';

const { find: _find, ...publishing } = discord.publishing ?? {};

/** What a webhook connection supports: no lookup, and no replies. */
const byWebhook = definePlatform({
  ...discord,
  manifest: { ...discord.manifest, thread: false, firstComment: null },
  publishing: publishing as NonNullable<typeof discord.publishing>,
});

platformContract(byWebhook, () => startWorld('webhook'));
