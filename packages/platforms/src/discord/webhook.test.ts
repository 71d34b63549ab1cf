import { definePlatform } from '../kit/define-platform.js';
import { platformContract } from '../kit/testing/contract.js';
import discord from './index.js';
import { startWorld } from './testing/world.js';

const { find: _find, ...publishing } = discord.publishing ?? {};

/** What is left of Discord for who is connected by a webhook: no looking back, and nothing below a post. */
const byWebhook = definePlatform({
  ...discord,
  manifest: { ...discord.manifest, thread: false, firstComment: null },
  publishing: publishing as NonNullable<typeof discord.publishing>,
});

platformContract(byWebhook, () => startWorld('webhook'));
