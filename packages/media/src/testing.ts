import S3rver, { type Middleware } from '@20minutes/s3rver';

/** An S3 server on a free local port that stores its objects in `folder`. */
export async function startS3(folder: string, bucket: string) {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    // It signs `/bucket/` as `/bucket`. Unknown keys are rejected nevertheless.
    allowMismatchedSignatures: true,
    directory: folder,
    configureBuckets: [{ name: bucket }],
  });
  server.middleware.unshift(createIfNoneMatches());
  const { address, port } = await server.run();
  return {
    url: `http://${address}:${port}`,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    close: () => server.close(),
  };
}

/** `If-None-Match: *` as Amazon S3 evaluates it; s3rver ignores the header. */
function createIfNoneMatches(): Middleware {
  const states = new Map<string, 'in progress' | 'created'>();
  return async (context, next) => {
    const { method, path } = context;
    if (method !== 'PUT' || context.get('if-none-match') !== '*') return next();
    const state = states.get(path);
    if (state !== undefined) {
      context.status = state === 'created' ? 412 : 409;
      context.type = 'application/xml';
      const code = state === 'created' ? 'PreconditionFailed' : 'ConditionalRequestConflict';
      context.body = `<Error><Code>${code}</Code><Message>The object exists.</Message></Error>`;
      return;
    }
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
