import { listPlatforms } from '@switchboard/domain/platforms';
import { z } from 'zod';
import { formatCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { exampleProfile } from '../profiles/profile-shape.js';
import { id, pageOf } from '../shapes.js';
import { compactPlatform, examplePlatformRow, platformRow, presentPlatformRow } from './platform-shape.js';

export default defineOperation({
  name: 'listPlatforms',
  summary: 'List the supported platforms, one line each.',
  guidance:
    'configured: accounts can be connected now. get_platform returns limits, options and what is missing.',
  scope: 'any',
  effect: 'read',
  boundary: 'read',
  toolset: 'every',
  http: { method: 'get', path: '/platforms', status: 200 },
  input: z.strictObject({ profile_id: id(exampleProfile.id).optional() }),
  mcp: {
    input: z.strictObject({}),
    compact: ({ data, ...rest }) => ({ data: data.map(compactPlatform), ...rest }),
  },
  output: pageOf(platformRow),
  failures: ['profile.not_found'],
  example: { input: {}, output: { data: [examplePlatformRow], next_cursor: null } },
  sentence: ({ data }) => {
    const configured = data.filter((platform) => platform.configured).map(({ id }) => id);
    return `${formatCount(data.length, 'platform')}, configured: ${configured.join(', ') || 'none'}.`;
  },
  useCase: listPlatforms,
  present: (platforms) => ({ data: platforms.map(presentPlatformRow), next_cursor: null }),
});
