import type { UnlockedVault } from '@switchboard/domain/ports';

/** The installation's own secrets, derived from its data key: a stolen database contains none of them. */
export const systemSecrets = (installation: UnlockedVault) => ({
  pepper: installation.derive('api-key-pepper'),
  cursorKey: installation.derive('cursors'),
  mediaLinkKey: installation.derive('media-links'),
  /** The HMAC key for the links of decision pages. */
  approvalLinkKey: installation.derive('approval-links'),
});
