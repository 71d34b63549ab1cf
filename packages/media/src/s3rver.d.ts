declare module '@20minutes/s3rver' {
  /** Of Koa, which it extends. */
  export type Middleware = (
    context: {
      readonly method: string;
      readonly path: string;
      get(header: string): string;
      status: number;
      type: string;
      body: unknown;
    },
    next: () => Promise<void>,
  ) => Promise<void>;
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly allowMismatchedSignatures: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    readonly middleware: Middleware[];
    run(): Promise<{ readonly address: string; readonly port: number }>;
    close(): Promise<void>;
  }
}
