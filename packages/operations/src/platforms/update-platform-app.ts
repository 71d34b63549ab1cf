import { updatePlatformApp } from '@switchboard/domain';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { isStorable } from '../is-storable.js';
import { appEtag, appOwnerInput, appShape, exampleApp, presentApp } from './platform-app-shape.js';

const credential = z
  .string()
  .trim()
  .min(1)
  .max(2000)
  .refine((text) => isStorable(text) && !/\p{Cc}/u.test(text), 'one line of text');

export default defineOperation({
  name: 'updatePlatformApp',
  summary: 'Set the OAuth app that accounts of a platform are connected with.',
  guidance:
    'For the workspace, or for one profile, whose own comes first. What was granted to another app stays with that one: accounts connected before go on while an app with their client id is set up somewhere in the workspace or by the operator, and cannot be renewed without (platform.not_configured, and the connection becomes degraded). A new secret of the same app is taken up at once. The secret is never shown.',
  scope: 'workspace:admin',
  effect: 'update',
  boundary: 'staged',
  surfaces: ['rest'],
  toolset: 'admin',
  http: { method: 'put', path: '/platforms/:id/app', status: 200 },
  input: appOwnerInput.extend({
    client_id: credential,
    client_secret: credential.meta({ format: 'password', writeOnly: true }),
  }),
  output: appShape,
  failures: [
    'platform.not_found',
    'platform.app_unsupported',
    'profile.not_found',
    'request.precondition_failed',
  ],
  example: {
    input: {
      id: 'linkedin',
      client_id: exampleApp.client_id,
      client_secret: 'the secret that LinkedIn shows',
    },
    output: exampleApp,
  },
  sentence: ({ client_id }) =>
    `Accounts are connected with the app ${JSON.stringify(client_id)} from now on.`,
  etag: appEtag,
  writesOwnAuditRow: true,
  useCase: updatePlatformApp,
  present: presentApp,
});
