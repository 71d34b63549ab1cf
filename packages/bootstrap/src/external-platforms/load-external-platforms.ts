import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Platform } from '@switchboard/domain/ports';
import { catalog } from '@switchboard/platforms';
import { root } from '../environment.js';
import { checkExternalPlatform } from './check-external-platform.js';
import { refuseSystemModules } from './refuse-system-modules.js';

/** A platform that is not part of this installation, although it is configured, and why. */
export interface RejectedPlatform {
  /** As in `SWITCHBOARD_PLATFORMS`. */
  readonly name: string;
  readonly reason: string;
}

interface ExternalPlatforms {
  readonly platforms: readonly Platform[];
  readonly rejected: readonly RejectedPlatform[];
}

const loaded = new Map<string, ExternalPlatforms>();

/**
 * The adapters of these packages and paths, loaded once per process. One that cannot be used is left out: the
 * start logs it as an error, and `doctor` reports it. Modules are loaded with `require`, which the programs
 * can use although each is a single script.
 */
export function loadExternalPlatforms(names: readonly string[]): ExternalPlatforms {
  const key = JSON.stringify(names);
  const known = loaded.get(key);
  if (known) return known;
  const platforms: Platform[] = [];
  const rejected: RejectedPlatform[] = [];
  for (const name of new Set(names)) {
    try {
      const taken = [...catalog, ...platforms].map(({ manifest }) => manifest.id);
      platforms.push(...listPlatformsOf(name, taken));
    } catch (error) {
      rejected.push({ name, reason: reasonOf(error) });
    }
  }
  const found = { platforms, rejected };
  loaded.set(key, found);
  return found;
}

/** All platforms of a package or path, or none. */
function listPlatformsOf(name: string, taken: readonly string[]): Platform[] {
  const file = realpathSync(resolveEntry(name));
  refuseSystemModules(pathToFileURL(file).href);
  const loadedModule = createRequire(file)(file) as { readonly default?: unknown };
  // A CommonJS module may assign its platform to `module.exports`.
  const exported = loadedModule.default ?? loadedModule;
  const all: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  if (all.length === 0) throw new Error('its default export is an empty list');
  const found: Platform[] = [];
  for (const one of all) {
    found.push(checkExternalPlatform(one, [...taken, ...found.map(({ manifest }) => manifest.id)]));
  }
  return found;
}

/** The file of a package, or of a path; both are looked up from the folder of Switchboard. */
function resolveEntry(name: string): string {
  if (!/^\.{0,2}[/\\]|^\.{1,2}$|^[A-Za-z]:[/\\]/.test(name)) {
    return createRequire(path.join(root, 'package.json')).resolve(name);
  }
  const place = path.resolve(root, name);
  const description = path.join(place, 'package.json');
  if (!existsSync(place)) throw new Error(`${place} does not exist`);
  if (!statSync(place).isDirectory() || !existsSync(description)) return createRequire(place).resolve(place);
  const { name: own, exports } = JSON.parse(readFileSync(description, 'utf8')) as {
    readonly name?: string;
    readonly exports?: unknown;
  };
  // A folder is resolved by `main`, a package also by `exports`.
  return createRequire(description).resolve(own !== undefined && exports !== undefined ? own : place);
}

function reasonOf(error: unknown): string {
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { code: undefined, message: String(error) };
  switch (code) {
    case 'MODULE_NOT_FOUND':
    case 'ERR_MODULE_NOT_FOUND':
      return `it cannot be found: ${message.split('\n', 1)[0] ?? ''}`;
    case 'ERR_PACKAGE_PATH_NOT_EXPORTED':
      return 'its package.json exports no "default" condition for "."';
    case 'ERR_REQUIRE_ASYNC_MODULE':
      return 'it uses await at the top level of a module, which is not supported';
    default:
      return message.replace(/\s+/g, ' ').slice(0, 500);
  }
}
