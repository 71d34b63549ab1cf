/** Random texts for URLs and cookies, and their digests: only the digest is ever stored. */
export interface Tokens {
  /** 256 random bits in base64url. */
  random(): string;
  /** SHA-256. */
  digest(text: string): Uint8Array;
  /** SHA-256 in lower-case hex, for digests of content. */
  digestHex(text: string): string;
}
