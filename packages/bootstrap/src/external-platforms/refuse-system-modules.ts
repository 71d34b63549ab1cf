import { isBuiltin, registerHooks } from 'node:module';

/** The modules of Node.js that access neither the network nor the machine. */
const ALLOWED = new Set([
  ...['assert', 'buffer', 'crypto', 'events', 'path', 'punycode', 'querystring', 'stream', 'string_decoder'],
  ...['timers', 'timers/promises', 'url', 'util'],
]);

/** The modules of external adapters, and all that these import. */
const owned = new Set<string>();
let isRegistered = false;

/**
 * From now on the module and everything that it imports, at once or later, may not import what accesses the
 * network or the machine. This detects mistakes: code in the process could find other ways.
 */
export function refuseSystemModules(url: string): void {
  owned.add(url);
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
      const isOwned = context.parentURL !== undefined && owned.has(context.parentURL);
      if (!isOwned) return next(specifier, context);
      if (isBuiltin(specifier)) {
        if (ALLOWED.has(specifier.replace(/^node:/, ''))) return next(specifier, context);
        throw new Error(
          `it imports ${specifier}: an adapter reaches its platform only through the session, and nothing else`,
        );
      }
      const resolved = next(specifier, context);
      owned.add(resolved.url);
      return resolved;
    },
  });
}
