import { getPlatform } from '@switchboard/domain/platforms';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleProfile } from '../profiles/profile-shape.js';
import { id, platformId } from '../shapes.js';
import { exampleMediaRules } from './media-rules-shape.js';
import { examplePlatformRow, platformShape, presentPlatform } from './platform-shape.js';

export default defineOperation({
  name: 'getPlatform',
  summary: 'Read the limits, options, metrics and setup of a platform.',
  guidance: 'Text limits use the platform’s own unit.',
  scope: 'any',
  effect: 'read',
  boundary: 'read',
  toolset: 'every',
  http: { method: 'get', path: '/platforms/:id', status: 200 },
  input: z.strictObject({ id: platformId, profile_id: id(exampleProfile.id).optional() }),
  mcp: { input: z.strictObject({ id: platformId }) },
  output: platformShape,
  failures: ['platform.not_found', 'profile.not_found'],
  example: {
    input: { id: 'bluesky' },
    output: {
      ...examplePlatformRow,
      ways: [{ id: 'oauth', label: 'Sign in with Bluesky', fields: examplePlatformRow.connect.fields }],
      limits: {
        text: { max: 300, unit: 'graphemes' },
        title: null,
        media: exampleMediaRules,
        thread: true,
        first_comment: { max: null },
      },
      options: [
        { name: 'langs', label: 'Languages', type: 'string_list', required: false, max: 3, choices: [] },
      ],
      metrics: [
        {
          metric: 'likes',
          native_name: 'likeCount',
          definition: 'Likes of the post.',
          lag_hours: 0,
          subject: 'post',
        },
      ],
      refund_options: null,
      setup: {
        console_url: null,
        redirect_uri: 'https://switchboard.example.com/oauth/callback/bluesky',
        permissions: ['atproto', 'transition:generic'],
        review_needed: false,
        pitfalls: [],
      },
      api_version: null,
      api_version_ends_on: null,
      evidence: 'real_server',
      verified_on: '2026-11-21',
      docs_url: 'https://docs.bsky.app',
    },
  },
  sentence: ({ name, configured }) => `${name} ${configured ? 'is ready to connect' : 'is not configured'}.`,
  useCase: getPlatform,
  present: (facts, { ports }) => presentPlatform(facts, ports.settings.publicUrl),
});
