import type { Manifest, PublishOption } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { dayMetric } from '@switchboard/platform-kit/metric-facts';
import { choiceOption, textOption } from '@switchboard/platform-kit/publish-options';

const MANAGE = 'https://www.googleapis.com/auth/business.manage';

export const options = [
  choiceOption('topic_type', 'Kind of post (default: standard)', {
    standard: 'Update',
    event: 'Event, with a title, a start and an end',
    offer: 'Offer, with a title, a start and an end; the link is where it is redeemed',
  }),
  textOption('event_title', 'Title of the event or offer', 200),
  textOption('event_start', 'Start in the location’s time zone: 2026-12-24 or 2026-12-24T18:00', 16),
  textOption('event_end', 'End, inclusive, in the same form', 16),
  choiceOption('call_to_action', 'Button to the link (default with a link: learn more)', {
    book: 'Book',
    order: 'Order online',
    shop: 'Buy',
    learn_more: 'Learn more',
    sign_up: 'Sign up',
    call: 'Call now, without a link',
  }),
  textOption('coupon_code', 'Coupon code of the offer', 200),
  textOption('terms', 'Terms and conditions of the offer', 5_000),
] as const satisfies readonly PublishOption[];

/** Each API of Google Business Profile has an origin of its own; posts are at the base URL. */
export const otherBaseUrls = {
  accounts: 'https://mybusinessaccountmanagement.googleapis.com',
  locations: 'https://mybusinessbusinessinformation.googleapis.com',
} as const;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'google_business_profile',
  name: 'Google Business Profile',
  connect: [
    oauthLogin('Continue to Google', {
      authorizePath: '/o/oauth2/v2/auth',
      tokenPath: '/token',
      revokePath: '/revoke',
      grantIsPerUser: true,
      permissions: [MANAGE],
      pkce: true,
      // Without these Google returns a refresh token only for the first consent.
      authorizeParams: { access_type: 'offline', prompt: 'consent' },
      // Only returned if it expires: for a project in testing, and for time-limited access.
      refreshExpiryField: 'refresh_token_expires_in',
    }),
  ],
  permissions: { publishing: [MANAGE], analytics: [MANAGE] },
  text: { max: 1_500, unit: 'characters', required: true },
  media: {
    max: 1,
    mixed: false,
    required: false,
    images: { max: 1, types: ['image/jpeg', 'image/png'], maxBytes: 5 * 1024 * 1024 },
    videos: null,
    documents: null,
    altTextMax: null,
    fetches: true,
  },
  options,
  metrics: [
    dayMetric(
      'views',
      'BUSINESS_IMPRESSIONS_*',
      'How many people saw the profile on Search and Maps; each counts once a day for each of the two and each kind of device.',
      72,
    ),
    dayMetric(
      'clicks',
      'WEBSITE_CLICKS + CALL_CLICKS + BUSINESS_DIRECTION_REQUESTS',
      'How often people opened the website, called, or asked for directions.',
      72,
    ),
  ],
  setup: {
    consoleUrl: 'https://console.cloud.google.com/apis/credentials',
    reviewNeeded: true,
    pitfalls: [
      'Request access to the Business Profile APIs for the project first: until Google has granted it, the quota is 0 and every request is refused.',
      'Then enable four APIs in the project: Google My Business API, My Business Account Management API, My Business Business Information API and Business Profile Performance API.',
      'While the consent screen is in testing, only test users can connect, and their logins end after seven days.',
      'A location must be verified. Google decides which kinds of businesses may post.',
      'Google fetches images from this installation, which therefore needs a public address. Images need at least 400 × 300 pixels and 10 KB.',
      'Google reviews every post and rejects, for example, telephone numbers in the text; the delivery then fails with the reason.',
      'Google reports views and actions of a location by day, a few days late and for the last 18 months, and no metrics of posts. They are in analytics with basis=activity.',
      'A location that several of the login’s accounts manage is offered once, through the account with the lowest number.',
      'All locations of a Google user share one grant: it is revoked when the last of them is disconnected.',
    ],
  },
  baseUrl: 'https://mybusiness.googleapis.com',
  authBaseUrl: 'https://oauth2.googleapis.com',
  consentBaseUrl: 'https://accounts.google.com',
  otherBaseUrls,
  analyticsBaseUrl: 'https://businessprofileperformance.googleapis.com',
  requests: { perMinute: 300 },
  evidence: 'simulator',
  verifiedOn: '2026-11-26',
  docsUrl: 'https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts',
};
