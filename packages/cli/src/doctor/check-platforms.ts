import { platformsToSetUp, type Config } from '@switchboard/bootstrap';
import { fine, problem, type Check } from './check.js';

/** Nobody needs every platform: what is missing is a problem of the one that was asked about. */
export async function checkPlatforms(
  config: Config,
  only: string | undefined,
  ownApps: ReadonlyMap<string, number> = new Map(),
): Promise<readonly Check[]> {
  const all = await platformsToSetUp(config);
  const asked = only === undefined ? all : all.filter(({ id }) => id === only);
  if (only !== undefined && asked.length === 0) {
    return [problem(only, 'there is no such platform', `There are ${all.map(({ id }) => id).join(', ')}.`)];
  }
  return asked.map(({ id, missing }) => {
    const own = ownAppsText(ownApps.get(id) ?? 0);
    if (missing.length === 0) return fine(id, `can be connected${own}`);
    return only === undefined || own !== ''
      ? fine(id, `not set up for everybody: ${missing.join(' and ')}${own}`)
      : problem(
          id,
          `${missing.join(' and ')} not set`,
          `\`switchboard platforms setup ${id}\` tells where they come from.`,
        );
  });
}

const ownAppsText = (workspaces: number): string =>
  workspaces === 0
    ? ''
    : `; ${workspaces} ${workspaces === 1 ? 'workspace has an app of its' : 'workspaces have apps of their'} own`;
