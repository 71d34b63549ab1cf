import { etagOf } from '@switchboard/domain';
import { getWorkspace } from '@switchboard/domain/workspaces';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleWorkspace, presentWorkspace, workspaceShape } from './workspace-shape.js';

export default defineOperation({
  name: 'getWorkspace',
  summary: 'Read the branding of the hosted pages, and the settings.',
  guidance: 'name is set by the operator; the hosted pages show display_name when it is set.',
  scope: 'workspace:admin',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/workspace', status: 200 },
  input: z.strictObject({}),
  output: workspaceShape,
  failures: ['workspace.not_found'],
  example: { input: {}, output: exampleWorkspace },
  sentence: ({ id }) => `The workspace ${id}.`,
  etag: etagOf,
  useCase: getWorkspace,
  present: presentWorkspace,
});
