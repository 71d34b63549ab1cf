// Generated from the folders beside it by `pnpm run generate`. Never edited.
import type { Platform } from '@switchboard/platform-kit';
import adobeCommerce from './adobe-commerce/index.js';
import bigcommerce from './bigcommerce/index.js';
import bluesky from './bluesky/index.js';
import discord from './discord/index.js';
import facebook from './facebook/index.js';
import googleBusinessProfile from './google-business-profile/index.js';
import instagram from './instagram/index.js';
import linkedin from './linkedin/index.js';
import mastodon from './mastodon/index.js';
import medusa from './medusa/index.js';
import pinterest from './pinterest/index.js';
import reddit from './reddit/index.js';
import sandboxSocial from './sandbox-social/index.js';
import sandboxStore from './sandbox-store/index.js';
import shopify from './shopify/index.js';
import square from './square/index.js';
import telegram from './telegram/index.js';
import threads from './threads/index.js';
import tiktok from './tiktok/index.js';
import vendure from './vendure/index.js';
import woocommerce from './woocommerce/index.js';
import x from './x/index.js';
import youtube from './youtube/index.js';

// oxfmt-ignore
export const catalog: readonly Platform[] = [
  adobeCommerce,
  bigcommerce,
  bluesky,
  discord,
  facebook,
  googleBusinessProfile,
  instagram,
  linkedin,
  mastodon,
  medusa,
  pinterest,
  reddit,
  sandboxSocial,
  sandboxStore,
  shopify,
  square,
  telegram,
  threads,
  tiktok,
  vendure,
  woocommerce,
  x,
  youtube,
];
