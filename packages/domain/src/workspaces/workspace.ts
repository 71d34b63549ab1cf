import type { WorkspaceId } from '../ids.js';

/** The tenant, including the settings of the hosted pages and of notifications. */
export interface Workspace {
  readonly id: WorkspaceId;
  readonly name: string;
  readonly displayName: string | null;
  readonly logoUrl: string | null;
  readonly accentColor: string | null;
  readonly supportEmail: string | null;
  readonly privacyUrl: string | null;
  readonly returnUrls: readonly string[];
  readonly defaultTimezone: string;
  /** The e-mail addresses that are notified of what waits for a person. */
  readonly notifyEmails: readonly string[];
  /** Who set the addresses (`recipientSetter`); null when it is not known. */
  readonly notifyEmailsSetBy: string | null;
  readonly createdAt: Date;
  /** Incremented with every change: the entity tag. */
  readonly version: number;
}
