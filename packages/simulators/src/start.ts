import { adobeStore, type AdobeStoreOptions } from './adobe-commerce/store.js';
import { bigCommerceStore, type BigCommerceOptions } from './bigcommerce/store.js';
import { discordNetwork, type DiscordOptions } from './discord/network.js';
import { facebookNetwork, type FacebookOptions } from './facebook/network.js';
import { instagramNetwork, type InstagramOptions } from './instagram/network.js';
import { linkedInNetwork, type LinkedInOptions } from './linkedin/network.js';
import { mastodonInstance, type InstanceOptions } from './mastodon/instance.js';
import { pinterestNetwork, type PinterestOptions } from './pinterest/network.js';
import { redditNetwork, type RedditOptions } from './reddit/network.js';
import { shopifyStore, type ShopifyOptions } from './shopify/store.js';
import { squareStore, type SquareOptions } from './square/store.js';
import { telegramNetwork, type TelegramOptions } from './telegram/network.js';
import { threadsNetwork, type ThreadsOptions } from './threads/network.js';
import { tiktokNetwork, type TikTokOptions } from './tiktok/network.js';
import { startSimulator } from './wire/simulator.js';
import { wooStore, type WooStoreOptions } from './woocommerce/woo-store.js';
import { xNetwork, type XOptions } from './x/network.js';
import { youtubeNetwork, type YouTubeOptions } from './youtube/network.js';

/** Each platform on a local port: consent, tokens, API and uploads at one origin. */
export const startAdobeCommerce = (options?: AdobeStoreOptions) => startSimulator(adobeStore(options));
export const startBigCommerce = (options?: BigCommerceOptions) => startSimulator(bigCommerceStore(options));
export const startDiscord = (options?: DiscordOptions) => startSimulator(discordNetwork(options));
export const startFacebook = (options?: FacebookOptions) => startSimulator(facebookNetwork(options));
export const startLinkedIn = (options?: LinkedInOptions) => startSimulator(linkedInNetwork(options));
export const startMastodon = (options?: InstanceOptions) => startSimulator(mastodonInstance(options));
export const startPinterest = (options?: PinterestOptions) => startSimulator(pinterestNetwork(options));
export const startReddit = (options?: RedditOptions) => startSimulator(redditNetwork(options));
export const startShopify = (options?: ShopifyOptions) => startSimulator(shopifyStore(options));
export const startSquare = (options?: SquareOptions) => startSimulator(squareStore(options));
export const startTelegram = (options?: TelegramOptions) => startSimulator(telegramNetwork(options));
export const startThreads = (options?: ThreadsOptions) => startSimulator(threadsNetwork(options));
export const startTikTok = (options?: TikTokOptions) => startSimulator(tiktokNetwork(options));
export const startWooCommerce = (options?: WooStoreOptions) => startSimulator(wooStore(options));
export const startX = (options?: XOptions) => startSimulator(xNetwork(options));
export const startYouTube = (options?: YouTubeOptions) => startSimulator(youtubeNetwork(options));

/** Instagram on two local ports: its own, and graph.facebook.com with Facebook's consent page. */
export async function startInstagram(options?: InstagramOptions) {
  const network = instagramNetwork(options);
  const own = await startSimulator(network);
  const facebook = await startSimulator(network.ofPages);
  const close = async () => void (await Promise.all([own.close(), facebook.close()]));
  return { ...own, facebook, close };
}

type Started<Start extends (options?: never) => Promise<unknown>> = Awaited<ReturnType<Start>>;
export type RunningAdobeStore = Started<typeof startAdobeCommerce>;
export type RunningBigCommerce = Started<typeof startBigCommerce>;
export type RunningDiscord = Started<typeof startDiscord>;
export type RunningFacebook = Started<typeof startFacebook>;
export type RunningInstagram = Started<typeof startInstagram>;
export type RunningLinkedIn = Started<typeof startLinkedIn>;
export type RunningMastodon = Started<typeof startMastodon>;
export type RunningPinterest = Started<typeof startPinterest>;
export type RunningReddit = Started<typeof startReddit>;
export type RunningShopify = Started<typeof startShopify>;
export type RunningSquare = Started<typeof startSquare>;
export type RunningTelegram = Started<typeof startTelegram>;
export type RunningThreads = Started<typeof startThreads>;
export type RunningTikTok = Started<typeof startTikTok>;
export type RunningWooCommerce = Started<typeof startWooCommerce>;
export type RunningX = Started<typeof startX>;
export type RunningYouTube = Started<typeof startYouTube>;
