import { etagOf } from '@switchboard/domain';
import type { PlatformAppView } from '@switchboard/domain/platforms';

import { z } from 'zod';
import { exampleProfile } from '../profiles/profile-shape.js';
import { components, id } from '../shapes.js';

export const appShape = z.object({
  client_id: z.string(),
  secret_set: z.boolean(),
  source: z.enum(['profile', 'workspace', 'environment']),
});
appShape.register(components, { id: 'PlatformApp' });

/** An app always has a secret, at every level. */
export const presentApp = ({ clientId, source }: PlatformAppView): z.input<typeof appShape> => ({
  client_id: clientId,
  secret_set: true,
  source,
});

export const appEtag = ({ version }: PlatformAppView): string | null =>
  version === null ? null : etagOf({ version });

/** The owner of the app: a profile, or the workspace when no profile is given. */
export const appOwnerInput = z.strictObject({
  id: id('linkedin'),
  profile_id: id(exampleProfile.id).optional(),
});

export const exampleApp: z.input<typeof appShape> = {
  client_id: '77example0client1id',
  secret_set: true,
  source: 'workspace',
};
