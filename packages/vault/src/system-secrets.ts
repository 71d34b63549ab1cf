import type { UnlockedVault } from '@switchboard/domain/ports';

/** The installation's own secrets, derived from its data key: a stolen database contains none of them. */
export const systemSecrets = (installation: UnlockedVault) => ({
  /** The HMAC key for API keys. */
  pepper: installation.derive('api-key-pepper'),
  /** The HMAC key for cursors. */
  cursorKey: installation.derive('cursors'),
  /** The HMAC key for media URLs. */
  mediaLinkKey: installation.derive('media-links'),
  /** The HMAC key for the links of decision pages. */
  approvalLinkKey: installation.derive('approval-links'),
});
