import type { Result } from '@switchboard/domain';
import type { Platform, PublishItem, Session } from '@switchboard/domain/ports';
import { buildPlatformPost } from './calls.js';
import { testSession } from './session.js';
import type { World } from './world.js';

/** Every origin of a manifest besides that of its API. */
export const secondaryOriginsOf = ({
  uploadBaseUrl,
  analyticsBaseUrl,
  otherBaseUrls,
}: Platform['manifest']): readonly (string | undefined)[] => [
  uploadBaseUrl,
  analyticsBaseUrl,
  ...Object.values(otherBaseUrls ?? {}),
];

/** Creates the context of the contract. `onRequest` is called before each request of its sessions. */
export function createContractContext(
  platform: Platform,
  running: () => World | undefined,
  connectMethod: string = platform.manifest.connect[0].id,
  onRequest: (request: { readonly url: URL }) => void = () => undefined,
) {
  const world = (): World => {
    const started = running();
    if (!started) throw new Error('the world has not started');
    return started;
  };
  return {
    platform,
    world,
    /** A session of the account; every contacted host is checked. */
    open: (
      more: {
        readonly token?: string;
        readonly signal?: AbortSignal;
        readonly deadlineSeconds?: number;
      } = {},
    ): Session =>
      testSession({
        baseUrl: world().baseUrl,
        account: world().account,
        connectMethod,
        token: world().token,
        permissions: world().permissions ?? [],
        subject: world().subject,
        apiVersion: platform.manifest.apiVersion,
        otherOrigins: secondaryOriginsOf(platform.manifest),
        deadlineSeconds: 5,
        onRequest,
        ...more,
      }),
    // Also used before the world has started, where only the facts matter.
    /** A post that the platform accepts, with its own reference. */
    post: (text: string, more?: Partial<PublishItem>): PublishItem =>
      buildPlatformPost(platform, text, more, running()?.needs),
    /** Returns the value of a success; throws the failure otherwise. */
    value: <Value>(result: Result<Value>): Value => {
      if (!result.ok) throw new Error(`${result.failure.code}: ${JSON.stringify(result.failure)}`);
      return result.value;
    },
    /** The code of a failure, `ok` for a success. Fails if the failure contains the token. */
    code: (result: Result<unknown>) => {
      if (result.ok) return 'ok';
      const failure = JSON.stringify(result.failure);
      for (const secret of [world().token, world().expiredToken, world().weakToken]) {
        if (failure.includes(secret)) throw new Error(`the failure contains a token: ${failure}`);
      }
      return result.failure.code;
    },
  };
}

/** The context that every part of the contract uses. */
export type ContractContext = ReturnType<typeof createContractContext>;
