import type { Manifest } from './platform.js';

/** How an account is connected: which authorizer does it, and what must be asked first. */
export interface ConnectMethod {
  readonly id: string;
  /**
   * `oauth2`, `atproto_oauth`, `mastodon_oauth` and `key_callback` send the browser to the platform; the others finish with
   * the form.
   */
  readonly scheme:
    | 'oauth2'
    | 'client_credentials'
    | 'atproto_oauth'
    | 'atproto_app_password'
    | 'mastodon_oauth'
    | 'key_callback'
    | 'key_form';
  readonly label: string;
  readonly fields: readonly ConnectField[];
  /** The OAuth app must be configured: an id and a secret of the operator's. */
  readonly needsApp: boolean;
  /** The platform whose app and origins this way uses, where they are not its own: Instagram's may go through Facebook. */
  readonly appPlatform?: string | undefined;
  /** What each ability needs when connected this way; left out: the manifest's. */
  readonly permissions?: Manifest['permissions'] | undefined;
  /** Nothing can be taken back when connected this way, though `remove` is there: it refuses, and says what to do instead. */
  readonly supportsUnpublish?: false | undefined;
  /** For `oauth2` only. Paths below the auth base URL. */
  readonly oauth2?: OAuth2Facts | undefined;
  /** For `client_credentials` only. */
  readonly clientCredentials?: ClientCredentialsFacts | undefined;
  /** For `key_callback` only. */
  readonly keyCallback?: KeyCallbackFacts | undefined;
  /** For `key_form` only. */
  readonly keyForm?: KeyFormFacts | undefined;
}

export interface ConnectField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /**
   * What is asked: it decides how the question is put in other languages, and how it is typed. `handle` is an account's name,
   * `instance` a server among many, `shop` a shop's own domain at the platform, `store_url` a store's address, `url` any other,
   * `key` what may be shown, `password` whatever is secret.
   */
  readonly kind: 'text' | 'handle' | 'instance' | 'shop' | 'store_url' | 'url' | 'key' | 'password';
  readonly required: boolean;
  readonly placeholder: string;
}

/** In every path `{api_version}` stands for the platform's version of its API. */
export interface OAuth2Facts {
  /** Where the browser is sent: below the manifest's `consentBaseUrl`, or else its `authBaseUrl`. */
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly revokePath: string | null;
  /** What the platform calls an app's id; `client_id` (RFC 6749) unless it is said. */
  readonly clientIdName?: 'client_key' | undefined;
  readonly permissions: readonly string[];
  readonly pkce: boolean;
  /** How the token endpoint wants the app's secret. */
  readonly clientAuth: 'header' | 'body';
  readonly authorizeParams?: Readonly<Record<string, string>> | undefined;
  /** Path of the issuer below the auth base URL, which the callback's `iss` must name (RFC 9207); null where the platform sends none. */
  readonly issuerPath: string | null;
  /** Where the account is named before the browser leaves: whoever comes back with another is refused. */
  readonly account?: (NamedAccount & AccountParameter) | undefined;
  readonly signedCallback?: SignedCallback | undefined;
  /** Between the permissions of a list; a space (RFC 6749) unless it is said. */
  readonly permissionSeparator?: ',' | undefined;
  /** What a permission includes that is not listed beside it when both are granted. */
  readonly includedPermissions?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What the exchange of a code needs besides RFC 6749's: parameters that are always the same, and names of the callback's. */
  readonly exchangeParams?: Readonly<Record<string, string>> | undefined;
  readonly forwardedCallbackParams?: readonly string[] | undefined;
  /** How the token endpoint is asked; a form unless it is said. */
  readonly tokenBody?: 'json' | undefined;
  /** Where a code brings a token of an hour or so, which is given for one that lasts. */
  readonly longLived?: TokenExchange | undefined;
  /** How a login is renewed with the token that it has, where there are no refresh tokens. */
  readonly renewal?: TokenExchange | undefined;
  /** What the callback's `error` is, besides RFC 6749's `access_denied`, when its owner said no. */
  readonly deniedErrors?: readonly string[] | undefined;
  /**
   * The field of the token's answer with the seconds until a refresh token ends that renewing does not prolong. Left out where
   * a refresh token has no end, or a new one comes with each renewal.
   */
  readonly refreshExpiryField?: string | undefined;
  readonly tokenErrors?: TokenErrors | undefined;
  /** The header of the platform's own that takes the token; RFC 6750's unless it is said. */
  readonly tokenHeader?: string | undefined;
  /** How a grant is given back at `revokePath`; RFC 7009 unless it is said. */
  readonly revocation?: Revocation | undefined;
  /** Where the token's answer brings a key that lasts, and that is used in place of the token. */
  readonly keyInResponse?: KeyInResponse | undefined;
  /**
   * The field of the token's answer that names the account, where all that it granted to an app is one grant: giving back any
   * of it ends all of it. An account that is named beforehand (`account`) is known without.
   */
  readonly grantAccountField?: string | undefined;
  /** The same, where the answer names nobody: all that the connected account granted to an app is one grant. */
  readonly grantIsPerAccount?: boolean | undefined;
}

/**
 * What was granted is a key of one account, as Discord's webhook is: it stands in the path of every request, has no end of its own,
 * and is given back by deleting what it opens.
 */
export interface KeyInResponse {
  /** The fields, one within the other, with the key and with the id of what it opens: every session's `subject`. */
  readonly key: readonly string[];
  readonly account: readonly string[];
  /** Below the manifest's `baseUrl`; `{account}` is the id, and `KEY_IN_PATH` the key. */
  readonly deletePath: string;
}

/** A token is given for another: a GET with all of it in the query, below the manifest's `baseUrl`. */
export interface TokenExchange {
  readonly path: string;
  readonly grantType: string;
  /** The parameter with the token that is given. */
  readonly tokenParameter: string;
  /** What of the app it is asked with. */
  readonly app: readonly ('id' | 'secret')[];
}

/**
 * An account that is named by its owner and has a place of its own. `{name}` stands for its name in every text.
 */
export interface NamedAccount {
  /** The field in which it is named. */
  readonly field: string;
  /** What people type: the one group of the first that fits, in small letters, is the name. */
  readonly patterns: readonly RegExp[];
  /** Where its API is, and at an `origin` its OAuth too. A `path` is below the manifest's `baseUrl`. */
  readonly location:
    { readonly kind: 'origin'; readonly origin: string } | { readonly kind: 'path'; readonly path: string };
}

/** What the platform calls an account that was named. */
export interface AccountParameter {
  /** The callback's parameter that says who answers, and what it must be. */
  readonly parameter: string;
  readonly value: string;
  /** Whether the platform is told it at every step, and tells it once more with the token. */
  readonly isSentWithTokenRequest: boolean;
}

/**
 * The callback's query is signed with the app's secret: HMAC-SHA-256 in hexadecimal over all other parameters, sorted by
 * their names and written as a form.
 */
export interface SignedCallback {
  readonly parameter: string;
  /** The parameter with the time of the signature, in seconds since 1970. */
  readonly timestamp: string;
}

/** What a token endpoint says besides RFC 6749's `invalid_grant`, and besides `invalid_client` and `unauthorized_client`. */
export interface TokenErrors {
  /** When a login is over. */
  readonly ended: readonly string[];
  /** When it does not accept the app. */
  readonly app: readonly string[];
}

/**
 * `token`: DELETE with the token in its header, at the account's own place; a token whose time is over is renewed first.
 * `secret`: POST of client id and token as JSON, with the app's secret in `Authorization` after the word `Client`.
 * `access_token`: RFC 7009's form of the access token alone, which ends the whole grant; one whose time is over is renewed first.
 */
export type Revocation = 'token' | 'secret' | 'access_token';

/**
 * An app that belongs to the account's own owner, who types its id and secret: it asks for tokens in its own name (RFC 6749
 * 4.4). Never the operator's app: whoever holds a link could name any account that has it.
 */
export interface ClientCredentialsFacts {
  readonly tokenPath: string;
  readonly account: NamedAccount;
  readonly idField: string;
  readonly secretField: string;
  readonly clientAuth: 'header' | 'body';
  readonly includedPermissions?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly tokenErrors?: TokenErrors | undefined;
  readonly tokenHeader?: string | undefined;
}

/**
 * The account's own server asks its owner, makes a key, brings it to us in a request of its own, and only then sends the
 * browser back, as WooCommerce does it. The key is sent as a key form's pair that signs where there is no TLS.
 */
export interface KeyCallbackFacts {
  /** The field with the address of the server. */
  readonly serverField: string;
  /** Below that address. */
  readonly authorizePath: string;
  /** What is asked for, and the permissions that a key with it has. */
  readonly scope: string;
  readonly permissions: readonly string[];
}

/** A key that somebody made at the platform and types here. It has no end of its own, and nobody to give it back to. */
export interface KeyFormFacts {
  /** The field with the address of the account's own server; null where all accounts are at the manifest's `baseUrl`. */
  readonly serverField: string | null;
  /** For an account that is named and not addressed, in place of `serverField`: its key goes to the place of that name. */
  readonly account?: NamedAccount | undefined;
  /** The field that says which account is meant, where one key opens many, as a bot's does. `identify` is given what stands in it. */
  readonly accountField?: string | undefined;
  /**
   * How it is sent, and which fields hold it. `basic` is RFC 7617, with an empty password where no field has one; `bearer` is
   * RFC 6750; `header` is one of the platform's own, `before` what stands in it before the key;
   * `path` stands in the path of every request, where the adapter writes `KEY_IN_PATH`; `oauth1` signs every request as OAuth 1.0a does (RFC 5849, HMAC-SHA256),
   * with a token or, where no fields have one, for the consumer itself.
   */
  readonly send:
    | {
        readonly kind: 'basic';
        readonly nameField: string;
        readonly passwordField: string | null;
        /** Where there is no TLS the pair is not sent, but signs as OAuth 1.0a does. */
        readonly signsOverHttp?: boolean | undefined;
      }
    | {
        readonly kind: 'oauth1';
        readonly keyField: string;
        readonly secretField: string;
        readonly tokenField: string | null;
        readonly tokenSecretField: string | null;
      }
    | { readonly kind: 'bearer'; readonly field: string }
    | {
        readonly kind: 'header';
        readonly name: string;
        readonly field: string;
        readonly before?: string | undefined;
      }
    | { readonly kind: 'path'; readonly field: string };
}
