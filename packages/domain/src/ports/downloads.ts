/**
 * Fetches what the world has put behind a URL, by the same rules as `Outbound`: no address that may not be reached, a
 * deadline for everything. It follows up to three redirects, each of them judged anew, and carries nothing of ours along.
 */
export interface Downloads {
  open(request: DownloadRequest): Promise<DownloadOutcome>;
}

export interface DownloadRequest {
  readonly url: string;
  /** From the first name look-up to the last byte, however long somebody takes to read them. */
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
  /** The types that are of use, as a server is asked for them; pictures, films and documents unless given. */
  readonly accept?: string | undefined;
}

export type DownloadOutcome =
  /** A 2xx. Reading throws when the rest does not come. */
  | {
      readonly kind: 'opened';
      /** Where it was at last. */
      readonly url: string;
      /** What the server says that it is, with its parameters; empty when it says nothing. */
      readonly type: string;
      readonly bytes: AsyncIterable<Uint8Array>;
    }
  /** Any other status. */
  | { readonly kind: 'refused'; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly reason: 'address_refused' | 'invalid_url' | 'too_many_redirects' | 'aborted' | 'unreachable';
    };
