/** Random texts for URLs and cookies, and their digests: what is stored is only ever the digest. */
export interface Tokens {
  /** 256 random bits in base64url. */
  random(): string;
  /** SHA-256. */
  digest(text: string): Uint8Array;
  /** SHA-256 in lower-case hex, for digests of content. */
  digestHex(text: string): string;
}
