import type { RemoteAccount } from '../connections/connection.js';
import type { Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { PlatformFailureCode, Session } from './session.js';

/**
 * The store's own webhooks for changes of its orders. A webhook only says which order to read: everything else in it
 * is ignored.
 */
export interface OrderWebhooks {
  /** The connect methods whose accounts can register them; omitted: all. */
  readonly connectMethods?: readonly string[] | undefined;
  /**
   * The secret that authenticates a webhook: `chosen` by us, `issued` by the store when it is registered, or that of the
   * `app` with which the account was connected.
   */
  readonly secret: 'chosen' | 'issued' | 'app';
  /**
   * Makes the store send webhooks to the URL of `target`, and to no other URL of its `externalIds`. May be repeated:
   * what is registered already stays, what the store has disabled is registered again, and what an attempt without a
   * response has registered is found by its URL.
   */
  register(
    session: Session,
    target: WebhookTarget & { readonly secret: Secret | null },
  ): Promise<Result<RegisteredWebhooks, PlatformFailureCode>>;
  /** Also succeeds when nothing is registered any more. */
  remove(session: Session, target: WebhookTarget): Promise<Result<undefined, PlatformFailureCode>>;
  /** Verifies a request, in constant time, and reads it. */
  read(request: ReceivedWebhook): WebhookReading;
}

export interface WebhookTarget {
  readonly url: string;
  /** The ids at the store, as far as they are known. */
  readonly externalIds: readonly string[];
}

export interface RegisteredWebhooks {
  readonly externalIds: readonly string[];
  /** Where the store issues it. */
  readonly secret?: Secret | undefined;
}

export interface ReceivedWebhook {
  /** The URL that was registered. */
  readonly url: string;
  readonly secret: Secret;
  readonly account: Pick<RemoteAccount, 'id'>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As received. */
  readonly body: Uint8Array;
}

export type WebhookReading =
  | {
      readonly kind: 'order';
      readonly externalId: string;
      /** The same when the store sends a webhook again, and different for every other one. */
      readonly deliveryId: string;
    }
  /** A test of the address, or a webhook about something else: to be acknowledged. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'forged' };
