import type { Notification } from '../attention/compose-notification.js';

/** Sends e-mail. */
export interface Mailer {
  /**
   * Resolves when the mail server has accepted the message for at least one address, and rejects otherwise: after
   * a rejection it may still have been accepted.
   */
  send(to: readonly string[], notification: Notification): Promise<void>;
}
