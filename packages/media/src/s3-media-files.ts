import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ByteRange, MediaFiles, MediaWriteResult } from '@switchboard/domain/ports';
import { assertFileName } from './assert-file-name.js';
import { digestStream } from './digest-stream.js';
import { meterStream } from './meter-stream.js';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** The endpoint of a non-Amazon store. */
  readonly endpoint: string | null;
  /** Null: the credentials of the machine (a role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** `host/bucket/key` in place of `bucket.host/key`. */
  readonly forcePathStyle: boolean;
  /** The prefix of every key; empty, or with a trailing slash. */
  readonly prefix: string;
}

const STORE_ID_KEY = 'store';
/** The memory of an upload: two parts, and the chunk that fills the third. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
/** How often the id of the store is read again while another process creates it. */
const CREATE_ATTEMPTS = 50;
const CREATE_PAUSE_MS = 100;

/** Media in an S3-compatible store. */
export function s3MediaFiles(options: S3Options): MediaFiles & { close(): void } {
  const client = new S3Client({
    region: options.region,
    forcePathStyle: options.forcePathStyle,
    ...(options.endpoint !== null && { endpoint: options.endpoint }),
    ...(options.credentials && { credentials: options.credentials }),
    maxAttempts: 4,
    // Many other servers do not support Amazon's newer checksums; the database stores a checksum of this
    // service.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000 },
  });
  const keyOf = (name: string) => options.prefix + assertFileName(name);
  const Bucket = options.bucket;

  async function get(Key: string, range?: ByteRange): Promise<Readable | null> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) }));
      return Body as Readable;
    } catch (error) {
      if (error instanceof S3ServiceException && error.name === 'NoSuchKey') return null;
      throw error;
    }
  }
  const read = async (name: string, range?: ByteRange) => get(keyOf(name), range);

  async function findMark(): Promise<string | null> {
    const body = await get(options.prefix + STORE_ID_KEY);
    return body && Buffer.concat(await body.toArray()).toString('utf8');
  }

  return {
    read,
    async write(name, source, maxBytes): Promise<MediaWriteResult> {
      const metered = meterStream(source, maxBytes);
      const upload = new Upload({
        client,
        params: { Bucket, Key: keyOf(name), Body: Readable.from(metered.stream(), { objectMode: false }) },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
        leavePartsOnError: false,
      });
      try {
        await upload.done();
      } catch (error) {
        const outcome = metered.outcome();
        if (outcome && outcome.kind !== 'written') return outcome;
        throw error;
      }
      return metered.outcome() ?? { kind: 'broken', cause: null };
    },
    async digest(name) {
      const stream = await read(name);
      return stream && digestStream(stream);
    },
    async remove(names) {
      for (const name of names) await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(name) }));
    },
    async *list() {
      // ListObjects version 1: every server supports it, and its marker is a key.
      for (let Marker = ''; ;) {
        const page = await client.send(
          new ListObjectsCommand({ Bucket, Prefix: options.prefix, ...(Marker !== '' && { Marker }) }),
        );
        for (const { Key, LastModified } of page.Contents ?? []) {
          const name = Key?.slice(options.prefix.length) ?? '';
          if (LastModified && name !== STORE_ID_KEY && !name.includes('/'))
            yield { name, modifiedAt: LastModified };
        }
        const last = page.Contents?.at(-1)?.Key;
        if (!page.IsTruncated || last === undefined) return;
        Marker = last;
      }
    },
    findStoreId: findMark,
    async createStoreId(mark) {
      const put = (condition: { readonly IfNoneMatch?: '*' }) =>
        client.send(
          new PutObjectCommand({ Bucket, Key: options.prefix + STORE_ID_KEY, Body: mark, ...condition }),
        );
      for (let attempt = 1; ; attempt++) {
        const before = await findMark();
        if (before !== null) return before;
        try {
          await put({ IfNoneMatch: '*' });
        } catch (error) {
          const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
          // 412: another process has created it. 409: one is creating it. 501: conditional writes are not supported
          // (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
          const isTaken = status === 412 || status === 409;
          if (isTaken && attempt < CREATE_ATTEMPTS) {
            await sleep(CREATE_PAUSE_MS);
            continue;
          }
          if (status !== 501) throw error;
          await put({});
        }
        return (await findMark()) ?? mark;
      }
    },
    close: () => client.destroy(),
  };
}
