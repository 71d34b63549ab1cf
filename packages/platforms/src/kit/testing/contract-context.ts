import { expect } from '@jest/globals';
import type { Platform, PublishItem, Result, Session } from '@switchboard/domain';
import { buildPlatformPost } from './calls.js';
import { testSession } from './session.js';
import type { World } from './world.js';

/** What every part of the contract works with. */
export interface ContractContext {
  readonly platform: Platform;
  readonly world: () => World;
  /** A line to the account; everything that it contacts is checked. */
  readonly open: (more?: {
    readonly token?: string;
    readonly signal?: AbortSignal;
    readonly deadlineSeconds?: number;
  }) => Session;
  /** A post that the platform takes, unlike every other in its reference. */
  readonly post: (text: string, more?: Partial<PublishItem>) => PublishItem;
  /** The value of a success; what was refused instead is told. */
  readonly value: <Value>(result: Result<Value>) => Value;
  /** The code of a failure, `ok` for a success. No failure may hold the token. */
  readonly code: (result: Result<unknown>) => string;
}

/** What the parts of the contract work with. `onRequest` is called before each request of its sessions. */
export function createContractContext(
  platform: Platform,
  running: () => World | undefined,
  connectMethod: string = platform.manifest.connect[0].id,
  onRequest: (request: { readonly url: URL }) => void = () => undefined,
): ContractContext {
  const world = (): World => {
    const started = running();
    if (!started) throw new Error('the world has not started');
    return started;
  };
  return {
    platform,
    world,
    open: (more = {}) =>
      testSession({
        baseUrl: world().baseUrl,
        account: world().account,
        connectMethod,
        token: world().token,
        permissions: world().permissions ?? [],
        subject: world().subject,
        apiVersion: platform.manifest.apiVersion,
        otherOrigins: [platform.manifest.uploadBaseUrl, platform.manifest.analyticsBaseUrl],
        deadlineSeconds: 5,
        onRequest,
        ...more,
      }),
    // Asked for before it has started, too, where only the words matter.
    post: (text, more) => buildPlatformPost(platform, text, more, running()?.needs),
    value(result) {
      if (!result.ok) throw new Error(`${result.failure.code}: ${JSON.stringify(result.failure)}`);
      return result.value;
    },
    code(result) {
      if (result.ok) return 'ok';
      for (const secret of [world().token, world().expiredToken, world().weakToken]) {
        expect(JSON.stringify(result.failure)).not.toContain(secret);
      }
      return result.failure.code;
    },
  };
}
