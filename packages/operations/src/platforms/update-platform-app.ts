import { updatePlatformApp } from '@switchboard/domain/platforms';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { isStorable } from '../pipeline/is-storable.js';
import { appEtag, appOwnerInput, appShape, exampleApp, presentApp } from './platform-app-shape.js';

const credential = z
  .string()
  .trim()
  .min(1)
  .max(2000)
  .refine((text) => isStorable(text) && !/\p{Cc}/u.test(text), 'one line of text');

export default defineOperation({
  name: 'updatePlatformApp',
  summary: 'Set the OAuth app that connects accounts of a platform.',
  guidance:
    'For the workspace, or for one profile, which takes precedence. Accounts connected earlier keep working while the workspace or the operator has an app with their client id, and cannot be renewed otherwise (platform.not_configured, connection degraded). A new secret takes effect immediately and is never returned.',
  scope: 'workspace:admin',
  effect: 'update',
  boundary: 'staged',
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
      client_secret: 'the secret as LinkedIn shows it',
    },
    output: exampleApp,
  },
  sentence: ({ client_id }) => `New connections use the app ${JSON.stringify(client_id)}.`,
  etag: appEtag,
  writesOwnAuditRow: true,
  useCase: updatePlatformApp,
  present: presentApp,
});
