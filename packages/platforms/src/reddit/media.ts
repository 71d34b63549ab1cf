import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishItem,
  type PublishMedia,
  type Remember,
  type Result,
  type Session,
} from '@switchboard/domain';
import { ask, type Dialect } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { multipart } from '../kit/multipart.js';
import { poster } from './poster.js';
import { anything, dialect, lease } from './wire.js';

/** A file at Reddit that no post has yet: what it is called, and where it lies. */
export interface Asset {
  readonly id: string;
  readonly url: string;
}

type File = Pick<PublishMedia, 'fileName' | 'type' | 'bytes' | 'read'>;
type Receipt = PublishItem['receipt'];

/** For a slow line, and no longer than an attempt may take. */
const BYTES_PER_SECOND = 500_000;
const UPLOAD_SECONDS_MAX = 500;

/** What an earlier attempt remembered, in the order of the item's media: all of it, or as much as was uploaded. */
export function assetsIn(receipt: Receipt): readonly Asset[] {
  const assets: Asset[] = [];
  for (let at = 0; receipt[`asset_${at}`]; at++) {
    assets.push({ id: receipt[`asset_${at}`] ?? '', url: receipt[`url_${at}`] ?? '' });
  }
  return assets;
}

/** Uploads what is not there yet, and remembers it before anything is posted. A film goes with a picture, which comes last. */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  remember: Remember,
): Promise<Result<readonly Asset[], PlatformFailureCode>> {
  const files: readonly File[] = item.media.flatMap((medium) =>
    medium.kind === 'video' ? [medium, poster] : [medium],
  );
  const assets = [...assetsIn(item.receipt)];
  for (const file of files.slice(assets.length)) {
    const uploaded = await upload(session, file);
    if (!uploaded.ok) return beforeSending(dialect, uploaded, 'where the file is. Nothing was posted.');
    assets.push(uploaded.value);
    await remember(receiptOf(assets));
  }
  return ok(assets);
}

export const receiptOf = (assets: readonly Asset[]): Receipt =>
  Object.fromEntries(
    assets.flatMap(({ id, url }, at) => [
      [`asset_${at}`, id],
      [`url_${at}`, url],
    ]),
  );

/** Reddit leases a place at Amazon S3, good for a minute. A file that no post has is seen by nobody and goes after a day. */
async function upload(session: Session, file: File): Promise<Result<Asset, PlatformFailureCode>> {
  const leased = await ask(
    session,
    dialect,
    {
      method: 'POST',
      path: '/api/media/asset.json',
      query: { raw_json: 1 },
      form: { filepath: file.fileName, mimetype: file.type },
      effect: 'idempotent',
    },
    lease,
  );
  if (!leased.ok) return leased;
  const { args, asset } = leased.value;
  const fields = Object.fromEntries(args.fields.map(({ name, value }) => [name, value]));
  // Told without a protocol.
  const place = args.action.startsWith('//') ? `https:${args.action}` : args.action;
  const sent = await ask(
    session,
    storage,
    {
      method: 'POST',
      path: `${place}/`,
      bare: true,
      body: multipart(fields, { ...file, name: 'file' }),
      effect: 'idempotent',
      deadlineSeconds: Math.min(UPLOAD_SECONDS_MAX, 60 + Math.ceil(file.bytes / BYTES_PER_SECOND)),
    },
    anything,
    ({ code }) =>
      code === 'EntityTooLarge'
        ? undefined
        : refuse('platform.unavailable', 'Reddit’s place for the file was not open any more.'),
  );
  return sent.ok ? ok({ id: asset.asset_id, url: `${place}/${fields['key']}` }) : sent;
}

/** Amazon S3 says no in XML. */
const storage: Dialect = {
  name: dialect.name,
  words({ body }) {
    const [, code, message] =
      /<Code>([^<]*)<\/Code>\s*<Message>([^<]*)<\/Message>/.exec(new TextDecoder().decode(body)) ?? [];
    return message === undefined ? null : { code, message };
  },
  meaning: () => 'platform.refused',
};
