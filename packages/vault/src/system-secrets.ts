import type { UnlockedVault } from '@switchboard/domain/ports';

interface SystemSecrets {
  /** The HMAC key for API keys. */
  readonly pepper: Uint8Array;
  /** The HMAC key for cursors. */
  readonly cursorKey: Uint8Array;
  /** The HMAC key for media URLs. */
  readonly mediaLinkKey: Uint8Array;
  /** The HMAC key for the links of decision pages. */
  readonly approvalLinkKey: Uint8Array;
}

/** The installation's own secrets, derived from its data key: a stolen database contains none of them. */
export const systemSecrets = (installation: UnlockedVault): SystemSecrets => ({
  pepper: installation.derive('api-key-pepper'),
  cursorKey: installation.derive('cursors'),
  mediaLinkKey: installation.derive('media-links'),
  approvalLinkKey: installation.derive('approval-links'),
});
