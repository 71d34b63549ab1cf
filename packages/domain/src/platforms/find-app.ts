import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Manifests, ReadRepositories } from '../ports/index.js';
import type { PlatformApp } from './platform-app.js';

export interface AppQuery {
  readonly workspaceId: WorkspaceId;
  /** For whose accounts; null for those of the workspace in general. */
  readonly profileId: ProfileId | null;
  readonly platformId: string;
  /** Only this one will do, as for a grant that was made to it. */
  readonly clientId?: string | undefined;
}

/** An app, and who brought it. The operator's comes from the environment, and its secret is not ours to keep. */
export type ResolvedApp =
  | { readonly source: 'profile' | 'workspace'; readonly clientId: string; readonly app: PlatformApp }
  | { readonly source: 'environment'; readonly clientId: string };

/**
 * The app of the profile, or else of the workspace, or else of the environment. One that is asked for by its client id is
 * found at any other profile of the workspace as well: a connection may have moved since it was granted.
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
