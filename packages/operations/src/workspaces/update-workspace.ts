import { etagOf, updateWorkspace } from '@switchboard/domain';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleWorkspace, presentWorkspace, workspaceFields, workspaceShape } from './workspace-shape.js';

export default defineOperation({
  name: 'updateWorkspace',
  summary: 'Change what the hosted pages show and allow.',
  guidance:
    'Only the fields that are sent change; null takes one away, and return_urls is replaced as a whole. A return_url of start_connect must equal an entry of the list. default_timezone is for profiles that are created from then on. The name is the operator’s to change.',
  scope: 'workspace:admin',
  effect: 'update',
  boundary: 'atomic',
  surfaces: ['rest'],
  toolset: 'admin',
  http: { method: 'patch', path: '/workspace', status: 200 },
  input: z.strictObject({
    display_name: workspaceFields.display_name.optional(),
    logo_url: workspaceFields.logo_url.optional(),
    accent_color: workspaceFields.accent_color.optional(),
    support_email: workspaceFields.support_email.optional(),
    privacy_url: workspaceFields.privacy_url.optional(),
    return_urls: workspaceFields.return_urls.optional(),
    default_timezone: workspaceFields.default_timezone.optional(),
  }),
  output: workspaceShape,
  failures: ['workspace.not_found', 'request.precondition_failed'],
  example: {
    input: { display_name: 'Lumen Coffee', return_urls: ['https://app.lumen.example/connected'] },
    output: exampleWorkspace,
  },
  sentence: ({ id }) => `Changed the workspace ${id}.`,
  etag: etagOf,
  useCase: updateWorkspace,
  present: presentWorkspace,
});
