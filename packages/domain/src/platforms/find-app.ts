import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Manifests, ReadRepositories } from '../ports/index.js';
import type { PlatformApp } from './platform-app.js';

export interface AppQuery {
  readonly workspaceId: WorkspaceId;
  /** The profile whose accounts use the app; null for those of the workspace in general. */
  readonly profileId: ProfileId | null;
  readonly platformId: string;
  /** Only an app with this client id, as for a grant that was made to it. */
  readonly clientId?: string | undefined;
}

/**
 * An app and its source. The operator's app comes from the environment, and its secret is not stored here.
 */
export type ResolvedApp =
  | { readonly source: 'profile' | 'workspace'; readonly clientId: string; readonly app: PlatformApp }
  | { readonly source: 'environment'; readonly clientId: string };

/**
 * The app of the profile, else of the workspace, else of the environment. A lookup by client id also searches
 * all other profiles of the workspace: a connection may have moved since its grant.
 */
export async function findApp(
  {
    platformApps,
    manifests,
  }: Pick<ReadRepositories, 'platformApps'> & { readonly manifests: Pick<Manifests, 'findClientId'> },
  { workspaceId, profileId, platformId, clientId }: AppQuery,
): Promise<ResolvedApp | null> {
  const stored =
    clientId === undefined
      ? await platformApps.listApplicable(workspaceId, profileId, platformId)
      : await platformApps.listByClientId(workspaceId, platformId, clientId);
  const operators = manifests.findClientId(platformId);
  const environment = operators !== null && (clientId ?? operators) === operators;
  const own = stored.find((app) => app.profileId !== null && app.profileId === profileId);
  const common = stored.find((app) => app.profileId === null);
  const app = own ?? common ?? (environment ? undefined : stored[0]);
  if (app) return { source: app.profileId === null ? 'workspace' : 'profile', clientId: app.clientId, app };
  return environment ? { source: 'environment', clientId: operators } : null;
}
