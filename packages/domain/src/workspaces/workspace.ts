import type { WorkspaceId } from '../ids.js';

/** The tenant. What the hosted pages show and allow is part of it. */
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
  readonly createdAt: Date;
  /** Grows with every change: the entity tag. */
  readonly version: number;
}
