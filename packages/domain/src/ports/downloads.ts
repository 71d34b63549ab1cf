/**
 * Downloads from a public URL under the same rules as `Outbound`: no forbidden address, a deadline for
 * everything. It follows up to three redirects, each checked again, and sends no credentials.
 */
export interface Downloads {
  open(request: DownloadRequest): Promise<DownloadOutcome>;
}

interface DownloadRequest {
  readonly url: string;
  /** From the first name lookup to the last byte, including the reader's time. */
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
  /** The accepted media types, sent to the server; default: images, videos and documents. */
  readonly accept?: string | undefined;
}

export type DownloadOutcome =
  /** A 2xx response. Reading throws when the connection breaks. */
  | {
      readonly kind: 'opened';
      /** The final URL after redirects. */
      readonly url: string;
      /** The `Content-Type` of the server, with its parameters; empty when missing. */
      readonly type: string;
      /** The announced number of bytes (`Content-Length`); null when the server announces none. */
      readonly length: number | null;
      readonly bytes: AsyncIterable<Uint8Array>;
    }
  /** Any other status. */
  | { readonly kind: 'refused'; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly reason: 'address_refused' | 'invalid_url' | 'too_many_redirects' | 'aborted' | 'unreachable';
    };
