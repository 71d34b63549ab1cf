export * from './start.js';
export { defineSimulator, startSimulator } from './wire/simulator.js';
export { requireScopes, type Route, type Routes } from './wire/routes.js';
export { squareError } from './square/errors.js';
export {
  fieldsOf,
  okResponse,
  type SimulatedResponse,
  type Exchange,
  type ReceivedRequest,
  type WireResponse,
  type WireRequest,
} from './wire/exchange.js';
export { FAULT_KINDS, type FaultKind, type FaultSpec } from './wire/faults.js';
export { startServer, type SimulatedServer } from './wire/start-server.js';
export {
  redditNetwork,
  redditSubreddits,
  REDDIT_SCOPES,
  type RedditAccount,
  type RedditNetwork,
  type RedditOptions,
} from './reddit/network.js';
export { badToken as badRedditToken } from './reddit/errors.js';
export { subredditOf, type RedditSubreddit } from './reddit/subreddit.js';
export { mastodonInstance, type InstanceOptions, type MastodonInstance } from './mastodon/instance.js';
export { fieldsOfForm, type FormFile } from './wire/read-multipart.js';
export {
  observedExchange,
  openApiValidator,
  type ObservedExchange,
  type SchemaCompiler,
} from './open-api-validator.js';
export { botApiValidator, type BotApi, type BotApiCall } from './bot-api-validator.js';
export { swaggerToOpenApi } from './swagger-to-open-api.js';
export { shopOauth, type ShopApp, type ShopOauth } from './shopify/oauth.js';
export { storeOauth, type StoreOauth } from './bigcommerce/oauth.js';
export { sellerOauth, type SellerOauth } from './square/oauth.js';
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
export {
  KILN_BOT,
  KILN_NEWS,
  telegramNetwork,
  type TelegramNetwork,
  type TelegramOptions,
} from './telegram/network.js';
export type { Membership, TelegramBot, TelegramChat } from './telegram/chats.js';
export {
  facebookNetwork,
  FACEBOOK_PERMISSIONS,
  type FacebookNetwork,
  type FacebookOptions,
} from './facebook/network.js';
export type { FacebookPage } from './facebook/present.js';
export type { FacebookUser } from './facebook/user-api.js';
export {
  pinterestNetwork,
  PINTEREST_SCOPES,
  type PinterestNetwork,
  type PinterestOptions,
} from './pinterest/network.js';
export {
  tiktokNetwork,
  TIKTOK_SCOPES,
  type TikTokAccount,
  type TikTokNetwork,
  type TikTokOptions,
} from './tiktok/network.js';
export { badToken as badTikTokToken } from './tiktok/responses.js';
export { xNetwork, X_SCOPES, type XAccount, type XNetwork, type XOptions } from './x/network.js';
export {
  linkedInNetwork,
  LINKEDIN_SCOPES,
  type LinkedInNetwork,
  type LinkedInOptions,
} from './linkedin/network.js';
export { linkedInBadToken, linkedInEndedToken } from './linkedin/errors.js';
export {
  youtubeNetwork,
  YOUTUBE_SCOPES,
  type YouTubeNetwork,
  type YouTubeOptions,
} from './youtube/network.js';
export {
  oauthServer,
  type OAuthServer,
  type OAuthServerOptions,
  type OAuthApp,
  type OAuthGrant,
} from './wire/oauth-server.js';
export { startTransit, type RunningTransit, type TransitFault } from './transit.js';
export { validateResponse, validateDocument } from './shopify/admin-schema.js';
export type { ShopifyAccess } from './shopify/access.js';
export { shopifyStore, type ShopifyOptions, type ShopifyStore } from './shopify/store.js';
export type { WooKey } from './woocommerce/keys.js';
export { wooStore, type WooStore, type WooStoreOptions } from './woocommerce/woo-store.js';
export {
  BIGCOMMERCE_SCOPES,
  bigCommerceStore,
  type BigCommerceOptions,
  type BigCommerceStore,
} from './bigcommerce/store.js';
