import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { graphVersion } from '../graph/graph.js';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption, flagOption } from '@switchboard/platform-kit/publish-options';
import { ownLogin, pageLogin, permissions } from './connect-methods.js';

const CAPTION_MAX = 2_200;
export const HASHTAGS_MAX = 30;
export const MENTIONS_MAX = 20;

const post = postMetrics(48);

export const options = [
  choiceOption('post_type', 'Publish as', {
    feed: 'Post; a single video becomes a reel',
    story: 'Story, which expires after a day and has no caption',
  }),
  flagOption('share_to_feed', 'Show the reel among the posts too'),
] as const satisfies readonly PublishOption[];

/** Instagram lists the newest 10,000. Each post is counted by a request of its own. */
export const postList = { pages: 3, postsPerPage: 100, postsMax: 10_000 } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'instagram',
  name: 'Instagram',
  connect: [ownLogin, pageLogin],
  permissions,
  text: { max: CAPTION_MAX, unit: 'characters', required: false },
  media: {
    max: 10,
    mixed: true,
    required: true,
    images: {
      max: 10,
      types: ['image/jpeg'],
      maxBytes: 8 * 1024 * 1024,
      // For a story; a post must be at least 4:5, as Instagram's own error states.
      minAspectRatio: 9 / 16,
      maxAspectRatio: 1.91,
    },
    videos: {
      max: 10,
      types: ['video/mp4', 'video/quicktime'],
      maxBytes: 300 * 1024 * 1024,
      minSeconds: 3,
      maxSeconds: 900,
    },
    documents: null,
    altTextMax: 1_000,
    fetches: true,
  },
  firstComment: { max: CAPTION_MAX },
  options,
  metrics: [
    post('views', 'views', 'How often the post was shown or played.'),
    post('reach', 'reach', 'How many accounts saw the post at least once. An estimate.'),
    post('likes', 'likes', 'How many likes the post has.'),
    post('comments', 'comments', 'How many comments the post has.'),
    post('shares', 'shares', 'How often the post was shared.'),
    post('saves', 'saved', 'How many accounts saved the post.'),
    followersMetric('followers_count'),
  ],
  postList,
  setup: {
    consoleUrl: 'https://developers.facebook.com/apps/',
    reviewNeeded: true,
    pitfalls: [
      'Only professional accounts (business or creator) can be connected; switching is free in the settings of Instagram.',
      'There are two logins. Instagram’s own needs no Facebook Page: use the ID and the secret of “API setup with Instagram login”, which are not the app’s own.',
      'The other login uses the Facebook Page linked to the account, with the app that is set up for Facebook: add “API setup with Facebook login”, all of its permissions and this platform’s redirect URI to that app, too.',
      'Through a Page, only people who may create content on the Page (the task CREATE_CONTENT) can connect an account.',
      'Until the app is reviewed only its testers can connect, and each has to accept the invitation.',
      'Instagram fetches media from this installation, which therefore needs a public address that robots.txt does not block.',
      'At least one image or video is required.',
      'Posts can be deleted only if the account is connected through its Page; otherwise delete them in the app.',
      'Disconnecting an account that is connected through its Page does not revoke the app’s grant, which would end all pages of that person: revoke it in the settings of Facebook, under business integrations.',
      'An account may create 400 containers and publish about 100 posts in 24 hours; Instagram reports the number for each.',
      'An image of a post must have an aspect ratio between 4:5 and 1.91:1; an image of a story may be as tall as 9:16.',
      'Alternative text applies to images only; videos and stories have none.',
    ],
  },
  baseUrl: 'https://graph.instagram.com',
  authBaseUrl: 'https://api.instagram.com',
  consentBaseUrl: 'https://www.instagram.com',
  ...graphVersion,
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developers.facebook.com/documentation/instagram-platform/overview',
};
