export { startSandbox, type Sandbox, type SandboxOptions } from './sandbox.js';
export { SANDBOX_CLIENT } from './oauth/client.js';
export type { Bearer } from './oauth/grant.js';
export { FAULT_KINDS, type Fault, type FaultKind, type FaultSpec } from './faults.js';
export type { EffectName, LedgerEntry, LedgerFilter } from './ledger.js';
export { seededRandom, type Random } from './random.js';
export type { LoggedRequest } from './request-log.js';
export type { Control } from './control/control.js';
export type { Settings } from './settings.js';
export type { PlatformName } from './world.js';
export { okResponse, type WireResponse, type WireRequest } from './wire/exchange.js';
export {
  redditNetwork,
  redditSubreddits,
  REDDIT_SCOPES,
  type RedditAccount,
  type RedditNetwork,
  type RedditOptions,
} from './reddit/network.js';
export { badToken as badRedditToken } from './reddit/errors.js';
export { startReddit, type RunningReddit } from './reddit/start-reddit.js';
export { subredditOf, type RedditSubreddit } from './reddit/subreddit.js';
export { mastodonInstance, type InstanceOptions, type MastodonInstance } from './mastodon/instance.js';
export { fieldsOfForm, type FormFile } from './wire/read-multipart.js';
export { startMastodon, type RunningMastodon } from './mastodon/start-mastodon.js';
export { openApiValidator, type ObservedExchange, type SchemaCompiler } from './open-api-validator.js';
export { botApiValidator, type BotApi, type BotApiCall } from './bot-api-validator.js';
export { swaggerToOpenApi } from './swagger-to-open-api.js';
export { shopOauth, type ShopApp, type ShopGrant, type ShopOauth } from './shopify/oauth.js';
export { storeOauth, type StoreApp, type StoreGrant, type StoreOauth } from './bigcommerce/oauth.js';
export { sellerOauth, type SellerOauth, type SquareApp, type SquareGrant } from './square/oauth.js';
export { startSquare, type RunningSquare } from './square/start-square.js';
export {
  squareStore,
  SQUARE_PERMISSIONS,
  SQUARE_TOKEN,
  type SquareOptions,
  type SquareStore,
} from './square/store.js';
export {
  adobeStore,
  ALL_RESOURCES,
  type AdobeStore,
  type AdobeStoreOptions,
} from './adobe-commerce/store.js';
export { startAdobeCommerce, type RunningAdobeStore } from './adobe-commerce/start-adobe-commerce.js';
export { graphError, longLivedTokens, type LongLivedTokenOptions } from './meta/long-lived-tokens.js';
export { expiredToken, badToken, type GraphBearer } from './meta/graph.js';
export {
  threadsNetwork,
  THREADS_PERMISSIONS,
  type ThreadsNetwork,
  type ThreadsOptions,
} from './threads/network.js';
export {
  instagramNetwork,
  INSTAGRAM_PERMISSIONS,
  type InstagramNetwork,
  type InstagramOptions,
} from './instagram/network.js';
export { startDiscord, type RunningDiscord } from './discord/start-discord.js';
export {
  discordNetwork,
  KILN_CHANNEL,
  KILN_DISCORD_BOT,
  KILN_WEBHOOK,
  type DiscordNetwork,
  type DiscordOptions,
} from './discord/network.js';
export type { DiscordBot, DiscordChannel, DiscordWebhook } from './discord/present.js';
export { INSTAGRAM_PAGE_PERMISSIONS, type InstagramPage } from './instagram/facebook-login-api.js';
export { startInstagram, type RunningInstagram } from './instagram/start-instagram.js';
export { startTelegram, type RunningTelegram } from './telegram/start-telegram.js';
export {
  KILN_BOT,
  KILN_NEWS,
  telegramNetwork,
  type TelegramNetwork,
  type TelegramOptions,
} from './telegram/network.js';
export type { Membership, TelegramBot, TelegramChat } from './telegram/chats.js';
export { startThreads, type RunningThreads } from './threads/start-threads.js';
export {
  facebookNetwork,
  FACEBOOK_PERMISSIONS,
  type FacebookNetwork,
  type FacebookOptions,
} from './facebook/network.js';
export { startFacebook, type RunningFacebook } from './facebook/start-facebook.js';
export type { FacebookPage } from './facebook/present.js';
export type { FacebookUser } from './facebook/user-api.js';
export {
  pinterestNetwork,
  PINTEREST_SCOPES,
  type PinterestNetwork,
  type PinterestOptions,
} from './pinterest/network.js';
export { startPinterest, type RunningPinterest } from './pinterest/start-pinterest.js';
export { startTikTok, type RunningTikTok } from './tiktok/start-tiktok.js';
export {
  tiktokNetwork,
  TIKTOK_SCOPES,
  type TikTokAccount,
  type TikTokNetwork,
  type TikTokOptions,
} from './tiktok/network.js';
export { badToken as badTikTokToken } from './tiktok/responses.js';
export { startX, type RunningX } from './x/start-x.js';
export { xNetwork, X_SCOPES, type XAccount, type XNetwork, type XOptions } from './x/network.js';
export {
  linkedInNetwork,
  LINKEDIN_SCOPES,
  type LinkedInNetwork,
  type LinkedInOptions,
} from './linkedin/network.js';
export { linkedInBadToken, linkedInEndedToken } from './linkedin/errors.js';
export { startLinkedIn, type RunningLinkedIn } from './linkedin/start-linkedin.js';
export { startYouTube, type RunningYouTube } from './youtube/start-youtube.js';
export {
  youtubeNetwork,
  YOUTUBE_SCOPES,
  type YouTubeBearer,
  type YouTubeNetwork,
  type YouTubeOptions,
} from './youtube/network.js';
export { startServer, type SimulatedServer } from './wire/start-server.js';
export {
  codeExchange,
  type CodeExchange,
  type CodeExchangeOptions,
  type OAuthApp,
  type OAuthGrant,
} from './wire/code-exchange.js';
export { startTransit, type RunningTransit, type TransitFault } from './transit.js';
export { validateResponse, validateDocument } from './shopify/admin-schema.js';
export type { ShopifyAccess } from './shopify/access.js';
export { startShopify, type RunningShopify } from './shopify/start-shopify.js';
export { shopifyStore, type ShopifyOptions, type ShopifyStore } from './shopify/store.js';
export type { WooKey } from './woocommerce/keys.js';
export { wooStore, type WooStore, type WooStoreOptions } from './woocommerce/woo-store.js';
export { startWooCommerce, type RunningWooCommerce } from './woocommerce/start-woocommerce.js';
export {
  BIGCOMMERCE_SCOPES,
  bigCommerceStore,
  type BigCommerceOptions,
  type BigCommerceStore,
} from './bigcommerce/store.js';
export { startBigCommerce, type RunningBigCommerce } from './bigcommerce/start-bigcommerce.js';
