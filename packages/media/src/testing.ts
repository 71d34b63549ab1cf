import S3rver from '@20minutes/s3rver';

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
  const { address, port } = await server.run();
  return {
    url: `http://${address}:${port}`,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    close: () => server.close(),
  };
}

export type S3Server = Awaited<ReturnType<typeof startS3>>;
