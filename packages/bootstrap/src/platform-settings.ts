import { Secret } from '@switchboard/domain';
import { appPlatformOf } from '@switchboard/domain/platforms';
import type { Manifest, Platform } from '@switchboard/domain/ports';
import type { OAuthApp, OriginResolver } from '@switchboard/oauth';
import type { Config } from './config.js';
import { listAllPlatforms } from './installed-platforms.js';
import type { RunningSandbox } from './sandbox.js';

/** Apps and origins of the platforms: from the environment, the sandbox's own, or else from the manifest. */
export function platformSettings(config: Config, sandbox: RunningSandbox | null) {
  const manifests = new Map(listAllPlatforms(config).map(({ manifest }) => [manifest.id, manifest]));
  const isSandbox = (id: string) => manifests.get(id)?.sandbox === true;

  const appOf = (id: string): OAuthApp | null => {
    const { clientId = null, clientSecret = null } = config.platforms[id] ?? {};
    if (clientId !== null && clientSecret !== null)
      return { clientId, clientSecret: new Secret(clientSecret) };
    if (!sandbox || !isSandbox(id)) return null;
    return { clientId: sandbox.clientId, clientSecret: new Secret(sandbox.clientSecret) };
  };

  return {
    origins: (id: string): ReturnType<OriginResolver> => {
      const manifest = manifests.get(id);
      const own = config.platforms[id];
      const sandboxUrl = sandbox && isSandbox(id) ? sandbox.url : null;
      const authBaseUrl = own?.authBaseUrl ?? sandboxUrl;
      return {
        baseUrl: own?.baseUrl ?? sandboxUrl ?? manifest?.baseUrl ?? null,
        authBaseUrl: authBaseUrl ?? manifest?.authBaseUrl ?? null,
        consentBaseUrl: authBaseUrl ?? manifest?.consentBaseUrl ?? manifest?.authBaseUrl ?? null,
        uploadBaseUrl: own?.uploadBaseUrl ?? own?.baseUrl ?? manifest?.uploadBaseUrl ?? null,
        analyticsBaseUrl: own?.analyticsBaseUrl ?? own?.baseUrl ?? manifest?.analyticsBaseUrl ?? null,
        otherBaseUrls: Object.fromEntries(
          Object.entries(manifest?.otherBaseUrls ?? {}).map(([name, url]) => [
            name,
            own?.otherBaseUrls[name] ?? own?.baseUrl ?? url,
          ]),
        ),
      };
    },
    /** The operator's app: from the environment, or the sandbox's own. */
    appOf,
    /** A platform with the configured API version and user agent. */
    withSettings(platform: Platform): Platform {
      const { manifest } = platform;
      const own = config.platforms[manifest.id];
      const apiVersion = own?.apiVersion ?? manifest.apiVersion;
      const userAgent = (own?.userAgent ?? manifest.userAgent)
        ?.replaceAll('{version}', config.version)
        .replaceAll('{url}', config.publicUrl);
      return { ...platform, manifest: { ...manifest, apiVersion, userAgent } };
    },
    /** Missing environment variables without which a platform cannot be connected. */
    missing: (manifest: Manifest): readonly string[] => {
      const { id, connect } = manifest;
      if (
        connect.some(
          (connectMethod) => !connectMethod.needsApp || appOf(appPlatformOf(manifest, connectMethod)),
        )
      )
        return [];
      const name = id.toUpperCase();
      const { clientId, clientSecret } = config.platforms[id] ?? {};
      return [
        ...(clientId ? [] : [`SWITCHBOARD_${name}_CLIENT_ID`]),
        ...(clientSecret ? [] : [`SWITCHBOARD_${name}_CLIENT_SECRET`]),
      ];
    },
    allowPrivateHosts: [...config.allowPrivateHosts, ...(sandbox ? [new URL(sandbox.url).host] : [])],
  };
}
