import { listPlatformSetup, type Config } from '@switchboard/bootstrap';
import { passedCheck, failedCheck, type Check } from './check.js';

/** No installation needs every platform: missing configuration is a problem only for the requested one. */
export async function checkPlatforms(
  config: Config,
  only: string | undefined,
  ownApps: ReadonlyMap<string, number> = new Map(),
): Promise<readonly Check[]> {
  const all = await listPlatformSetup(config);
  const selected = only === undefined ? all : all.filter(({ id }) => id === only);
  if (only !== undefined && selected.length === 0) {
    return [failedCheck(only, 'unknown platform', `Known platforms: ${all.map(({ id }) => id).join(', ')}.`)];
  }
  return selected.map(({ id, isExternal, missing }) => {
    const ownAppsNote = ownAppsText(ownApps.get(id) ?? 0);
    const source = isExternal ? 'external; ' : '';
    if (missing.length === 0) return passedCheck(id, `${source}can be connected${ownAppsNote}`);
    return only === undefined || ownAppsNote !== ''
      ? passedCheck(id, `${source}no app of the operator: ${missing.join(' and ')}${ownAppsNote}`)
      : failedCheck(
          id,
          `${missing.join(' and ')} not set`,
          `\`switchboard platforms setup ${id}\` shows how to get them.`,
        );
  });
}

const ownAppsText = (workspaces: number): string =>
  workspaces === 0
    ? ''
    : `; ${workspaces} ${workspaces === 1 ? 'workspace has an app of its' : 'workspaces have apps of their'} own`;
