import type { PlatformAppView } from '@switchboard/domain';
import { etagOf } from '@switchboard/domain';
import { z } from 'zod';
import { exampleProfile } from '../profiles/profile-shape.js';
import { id } from '../shapes.js';

export const appShape = z.object({
  client_id: z.string(),
  secret_set: z.boolean(),
  source: z.enum(['profile', 'workspace', 'environment']),
});

/** An app is never without its secret, whoever keeps it. */
export const presentApp = ({ clientId, source }: PlatformAppView): z.input<typeof appShape> => ({
  client_id: clientId,
  secret_set: true,
  source,
});

export const appEtag = ({ version }: PlatformAppView): string | null =>
  version === null ? null : etagOf({ version });

/** Which app is meant: that of a profile, or with none named the workspace's. */
export const appOwnerInput = z.strictObject({
  id: id('linkedin'),
  profile_id: id(exampleProfile.id).optional(),
});

export const exampleApp: z.input<typeof appShape> = {
  client_id: '77example0client1id',
  secret_set: true,
  source: 'workspace',
};
