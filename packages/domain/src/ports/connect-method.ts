import type { connectSchemes } from '../connections/connect-schemes.js';
import type { Manifest } from './manifest.js';

/** A way to connect an account: its authorizer and the form fields that come first. */
export interface ConnectMethod {
  readonly id: string;
  readonly scheme: keyof typeof connectSchemes;
  readonly label: string;
  readonly fields: readonly ConnectField[];
  /** The OAuth app must be configured: an id and a secret of the operator's. */
  readonly needsApp: boolean;
  /**
   * The platform whose app and origins this connect method uses, where they are not its own: Instagram's may
   * go through Facebook.
   */
  readonly appPlatform?: string | undefined;
  /** The permissions that each ability requires with this connect method; omitted: the manifest's. */
  readonly permissions?: Manifest['permissions'] | undefined;
  /**
   * Published posts cannot be deleted with this connect method although `remove` exists: it refuses, and says
   * what to do instead.
   */
  readonly supportsUnpublish?: false | undefined;
  /** For `oauth2` only. Paths below the auth base URL. */
  readonly oauth2?: OAuth2Facts | undefined;
  readonly clientCredentials?: ClientCredentialsFacts | undefined;
  readonly keyCallback?: KeyCallbackFacts | undefined;
  readonly keyForm?: KeyFormFacts | undefined;
  readonly passwordLogin?: PasswordLoginFacts | undefined;
}

export interface ConnectField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /**
   * The kind of the field: it determines the label in other languages and the input type. `handle` is an
   * account's name, `instance` a server of a federated platform, `shop` a shop's own domain at the platform,
   * `store_url` a store's address, `url` any other, `key` a value that may be shown, `password` any secret.
   */
  readonly kind: 'text' | 'handle' | 'instance' | 'shop' | 'store_url' | 'url' | 'key' | 'password';
  readonly required: boolean;
  readonly placeholder: string;
}

/** In every path `{api_version}` is replaced by the platform's API version. */
export interface OAuth2Facts {
  /** The consent page, relative to the manifest's `consentBaseUrl`, or else its `authBaseUrl`. */
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly revokePath: string | null;
  /** The parameter name of an app's id; default `client_id` (RFC 6749). */
  readonly clientIdName?: 'client_key' | undefined;
  readonly permissions: readonly string[];
  readonly pkce: boolean;
  /** How the token endpoint expects the app's secret. */
  readonly clientAuth: 'header' | 'body';
  readonly authorizeParams?: Readonly<Record<string, string>> | undefined;
  /**
   * Path of the issuer relative to the auth base URL, which the callback's `iss` must equal (RFC 9207); null
   * where the platform sends none.
   */
  readonly issuerPath: string | null;
  /** Where the account is named before the redirect: a callback for another account is rejected. */
  readonly account?: (NamedAccount & AccountParameter) | undefined;
  readonly signedCallback?: SignedCallback | undefined;
  /** The separator of a permission list; default space (RFC 6749). */
  readonly permissionSeparator?: ',' | undefined;
  /** Permissions that a granted permission includes and that the platform does not list separately. */
  readonly includedPermissions?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * What the code exchange sends in addition to RFC 6749: constant parameters, and forwarded parameters of
   * the callback.
   */
  readonly exchangeParams?: Readonly<Record<string, string>> | undefined;
  readonly forwardedCallbackParams?: readonly string[] | undefined;
  /** The body format of the token request; default form. */
  readonly tokenBody?: 'json' | undefined;
  /** Where a code yields a short-lived token (about an hour), the exchange for a long-lived one. */
  readonly longLived?: TokenExchange | undefined;
  /** How a login is renewed with its current token, where there are no refresh tokens. */
  readonly renewal?: TokenExchange | undefined;
  /**
   * Values of the callback's `error` that mean the owner denied access, in addition to RFC 6749's
   * `access_denied`.
   */
  readonly deniedErrors?: readonly string[] | undefined;
  /**
   * The field of the token response with the remaining seconds of a refresh token that renewal does not
   * extend. Omitted where a refresh token does not expire, or each renewal issues a new one.
   */
  readonly refreshExpiryField?: string | undefined;
  readonly tokenErrors?: TokenErrors | undefined;
  /** The platform-specific header for the token; default RFC 6750's. */
  readonly tokenHeader?: string | undefined;
  /** How a grant is revoked at `revokePath`; default RFC 7009. */
  readonly revocation?: Revocation | undefined;
  /** Where the token response contains a permanent key that is used in place of the token. */
  readonly keyInResponse?: KeyInResponse | undefined;
  /**
   * The field of the token response that names the account, where everything it granted to an app is one
   * grant: revoking any part ends all of it. Not needed for an account that is named beforehand (`account`).
   */
  readonly grantAccountField?: string | undefined;
  /**
   * The same, where the response names no account: everything that the connected account granted to an app is
   * one grant.
   */
  readonly grantIsPerAccount?: boolean | undefined;
  /**
   * The same for a user who has several accounts and whom the platform does not name (locations of a Google
   * user): a grant is revoked with the last connection through the app. Since version 1.2 of the kit.
   */
  readonly grantIsPerUser?: boolean | undefined;
}

/**
 * The grant is a key of one account, for example Discord's webhook: it is part of the path of every request,
 * never expires, and is revoked by deleting the resource that it opens.
 */
export interface KeyInResponse {
  /**
   * The nested fields with the key and with the id of the resource that it opens: the `subject` of every
   * session.
   */
  readonly key: readonly string[];
  readonly account: readonly string[];
  /** Relative to the manifest's `baseUrl`; `{account}` is the id, and `KEY_IN_PATH` the key. */
  readonly deletePath: string;
}

/**
 * A token is exchanged for another: a GET with all parameters in the query, relative to the manifest's
 * `baseUrl`.
 */
export interface TokenExchange {
  readonly path: string;
  readonly grantType: string;
  /** The parameter with the token to exchange. */
  readonly tokenParameter: string;
  /** The app credentials that the request contains. */
  readonly app: readonly ('id' | 'secret')[];
}

/**
 * An account that its owner names and that has its own location. `{name}` is replaced by its name in every
 * text.
 */
export interface NamedAccount {
  /** The field that contains the name. */
  readonly field: string;
  /** Accepted inputs: the single group of the first matching pattern, in lower case, is the name. */
  readonly patterns: readonly RegExp[];
  /**
   * The location of its API, and for an `origin` of its OAuth too. A `path` is relative to the manifest's
   * `baseUrl`.
   */
  readonly location:
    | { readonly kind: 'origin'; readonly origin: string }
    | { readonly kind: 'path'; readonly path: string };
}

/** The platform's parameter for an account that was named beforehand. */
export interface AccountParameter {
  /** The callback's parameter that names the account, and its expected value. */
  readonly parameter: string;
  readonly value: string;
  /** Whether the parameter is sent in every step, and once more with the token request. */
  readonly isSentWithTokenRequest: boolean;
}

/**
 * The callback's query is signed with the app's secret: hexadecimal HMAC-SHA-256 over all other parameters,
 * sorted by name and form-encoded.
 */
export interface SignedCallback {
  readonly parameter: string;
  /** The parameter with the time of the signature, in seconds since 1970. */
  readonly timestamp: string;
}

/**
 * Platform-specific error codes of a token endpoint, in addition to RFC 6749's `invalid_grant`,
 * `invalid_client` and `unauthorized_client`.
 */
export interface TokenErrors {
  /** The login has ended. */
  readonly ended: readonly string[];
  /** The platform rejects the app. */
  readonly app: readonly string[];
}

/**
 * `token`: DELETE with the token in its header, at the account's own location; an expired token is renewed
 * first. `secret`: POST of client id and token as JSON, with the app's secret in `Authorization` after the
 * word `Client`. `access_token`: RFC 7009's form of the access token alone, which ends the whole grant; an
 * expired token is renewed first.
 */
type Revocation = 'token' | 'secret' | 'access_token';

/**
 * An app that belongs to the account owner, who enters its id and secret: it requests tokens in its own name
 * (RFC 6749, section 4.4). Never the operator's app: anyone with a link could name any account that has it.
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
 * The account's own server asks its owner for consent, creates a key, posts it to this service in a separate
 * request, and only then redirects the browser back, as WooCommerce does. The key is sent like a key form's
 * pair that signs requests without TLS.
 */
export interface KeyCallbackFacts {
  /** The field with the server's URL. */
  readonly serverField: string;
  /** Relative to that URL. */
  readonly authorizePath: string;
  /** The requested scope, and the permissions of a key with it. */
  readonly scope: string;
  readonly permissions: readonly string[];
}

/**
 * A key that was created at the platform and is entered in the form. It does not expire and cannot be revoked
 * here.
 */
export interface KeyFormFacts {
  /**
   * The field with the URL of the account's own server; null where all accounts are at the manifest's
   * `baseUrl`.
   */
  readonly serverField: string | null;
  /**
   * In place of `serverField`, for an account with a name instead of a URL: its key is sent to the location
   * of that name.
   */
  readonly account?: NamedAccount | undefined;
  /**
   * The field that selects the account, where one key opens many, as a bot's does. `identify` receives its
   * value.
   */
  readonly accountField?: string | undefined;
  /**
   * How the key is sent, and which fields contain it. `basic` is RFC 7617, with an empty password without a
   * password field; `bearer` is RFC 6750; `header` is a platform-specific header, with `before` as prefix of
   * the key; `path` puts the key into the path of every request, in place of the adapter's `KEY_IN_PATH`;
   * `query` adds it to the query of every request; `jwt` signs a token for every request; `oauth1` signs every request with OAuth 1.0a (RFC 5849, HMAC-SHA256), with a token or, without fields for
   * one, for the consumer itself.
   */
  readonly send:
    | {
        readonly kind: 'basic';
        readonly nameField: string;
        readonly passwordField: string | null;
        /** Without TLS the pair is not sent, but signs requests with OAuth 1.0a. */
        readonly signsOverHttp?: boolean | undefined;
        /** The platform displays the password in groups and ignores the spaces between them. */
        readonly ignoresSpaces?: boolean | undefined;
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
    | { readonly kind: 'path'; readonly field: string }
    | { readonly kind: 'query'; readonly name: string; readonly field: string }
    | JwtFacts;
}

/** A key that is never sent: it signs a short-lived token (RFC 7519) for every request. */
export interface JwtFacts {
  readonly kind: 'jwt';
  readonly algorithm: 'HS256' | 'RS256' | 'ES256';
  /** The field with the secret of `HS256`, or with the private key (PEM, PKCS #8 or PKCS #1) of the others. */
  readonly keyField: string;
  /** How the secret of `HS256` is written; default: as text. */
  readonly keyEncoding?: 'hex' | 'base64' | undefined;
  /**
   * The field with the id of the key, which becomes `kid`; null without one. `{before: ':'}`: the key's field contains
   * both, as `id:secret`.
   */
  readonly keyId: { readonly field: string } | { readonly before: string } | null;
  /** Claims besides `iat` and `exp`. `{name}` is replaced by the value of that field. */
  readonly claims: Readonly<Record<string, string>>;
  readonly lifetimeSeconds: number;
  /** The scheme in `Authorization`; default `Bearer`. */
  readonly scheme?: string | undefined;
}

/**
 * A user name and a password, which are exchanged for a token once. The password is stored, sealed like every
 * credential, only where nothing else can renew the token (`renewal: 'password'`).
 */
export interface PasswordLoginFacts {
  /** As for a key form. */
  readonly serverField: string | null;
  readonly login: SessionRequest;
  /** The nested fields of the responses to `login` and `renewal`. A renewal without a new refresh token keeps the old one. */
  readonly response: {
    readonly token: readonly string[];
    readonly refreshToken?: readonly string[] | undefined;
    /** How long the token lives. Omitted: as the token itself says if it is a JWT with `exp`; otherwise until it is refused. */
    readonly lifetime?:
      | { readonly path: readonly string[]; readonly unit: 'seconds' | 'milliseconds' }
      | undefined;
    /** The nested field with the code of an error; omitted: that of RFC 6749 and its common variants. */
    readonly error?: readonly string[] | undefined;
  };
  readonly send:
    | { readonly kind: 'bearer' }
    | { readonly kind: 'header'; readonly name: string; readonly before?: string | undefined }
    | { readonly kind: 'query'; readonly name: string };
  /** `none`: the account must be reconnected once the token is refused. */
  readonly renewal: 'none' | 'password' | SessionRequest;
  /** Ends the session when the account is disconnected. */
  readonly logout?: SessionRequest | undefined;
  /** Error codes of `login` that concern one field, such as a missing second factor. */
  readonly fieldErrors?: Readonly<Record<string, string>> | undefined;
}

/** A request of `PasswordLoginFacts`. An adapter's session refuses to send requests to its path. */
export interface SessionRequest {
  /** Default `POST`. */
  readonly method?: 'POST' | 'PUT' | 'DELETE' | undefined;
  /** Below the server, or the manifest's `baseUrl`. */
  readonly path: string;
  /**
   * The body. `{name}` is replaced by the value of that field when logging in, and `{token}` and `{refresh_token}` by
   * those of the session otherwise; an optional field that was left empty is omitted.
   */
  readonly body?: Readonly<Record<string, string>> | undefined;
  /** Default JSON. */
  readonly encoding?: 'form' | undefined;
  /** What is sent in `Authorization`, as RFC 6750 requires. */
  readonly bearer?: 'token' | 'refresh_token' | undefined;
}
