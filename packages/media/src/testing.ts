import S3rver, { type Middleware } from '@20minutes/s3rver';

/**
 * An S3 server on a free local port that stores its objects in `folder`. Like some servers, it can refuse
 * conditional writes.
 */
export async function startS3(folder: string, bucket: string, { refusesConditions = false } = {}) {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    // It signs `/bucket/` as `/bucket`. Unknown keys are rejected nevertheless.
    allowMismatchedSignatures: true,
    directory: folder,
    configureBuckets: [{ name: bucket }],
  });
  server.middleware.unshift(refusesConditions ? refuseConditions : createIfNoneMatches());
  const { address, port } = await server.run();
  return {
    url: `http://${address}:${port}`,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    close: () => server.close(),
  };
}

const isConditional: (context: Parameters<Middleware>[0]) => boolean = (context) =>
  context.method === 'PUT' && context.get('if-none-match') === '*';

function respondWithError(context: Parameters<Middleware>[0], status: number, code: string): void {
  context.status = status;
  context.type = 'application/xml';
  context.body = `<Error><Code>${code}</Code><Message>The object was not written.</Message></Error>`;
}

const refuseConditions: Middleware = async (context, next) =>
  isConditional(context) ? respondWithError(context, 501, 'NotImplemented') : next();

/** `If-None-Match: *` as Amazon S3 evaluates it; s3rver ignores the header. */
function createIfNoneMatches(): Middleware {
  const states = new Map<string, 'in progress' | 'created'>();
  return async (context, next) => {
    const { path } = context;
    if (!isConditional(context)) return next();
    const state = states.get(path);
    if (state === 'created') return respondWithError(context, 412, 'PreconditionFailed');
    if (state) return respondWithError(context, 409, 'ConditionalRequestConflict');
    states.set(path, 'in progress');
    try {
      await next();
      states.set(path, 'created');
    } catch (error) {
      states.delete(path);
      throw error;
    }
  };
}

export type S3Server = Awaited<ReturnType<typeof startS3>>;
