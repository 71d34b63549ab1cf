import type { UnlockedVault } from '@switchboard/domain';

export interface SystemSecrets {
  /** What API keys are hashed with. */
  readonly pepper: Uint8Array;
  /** What cursors are authenticated with. */
  readonly cursorKey: Uint8Array;
  /** What URLs of media are signed with. */
  readonly mediaLinkKey: Uint8Array;
}

/** The installation's own secrets. They follow from its data key, so a stolen database has none of them. */
export const systemSecrets = (installation: UnlockedVault): SystemSecrets => ({
  pepper: installation.derive('api-key-pepper'),
  cursorKey: installation.derive('cursors'),
  mediaLinkKey: installation.derive('media-links'),
});
