import { definePlatform } from '../kit/define-platform.js';
import { platformContract } from '../kit/testing/contract.js';
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
