import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { sha256Of } from '../wire/sha256.js';
import type { HostedMedia } from './post-store.js';
import { httpError } from './errors.js';

interface LeasedAsset {
  readonly id: string;
  readonly author: string;
  readonly bucket: string;
  readonly key: string;
  readonly type: string;
  readonly ending: string;
  readonly policy: string;
  readonly policyEndsAtMs: number;
  readonly sha256: string | null;
}

const MIB = 1024 * 1024;
/** The policy conditions of Reddit's upload leases. */
const bytesMax: Readonly<Record<string, number>> = {
  'image/png': 20 * MIB,
  'image/jpeg': 20 * MIB,
  'image/webp': 20 * MIB,
  'image/gif': 100 * MIB,
  'video/mp4': 2_048 * MIB,
  'video/quicktime': 2_048 * MIB,
};
const POLICY_MS = 60_000;
const FIRST_ASSET = 4_738_381_338_321_616_000n;

const xml = (status: number, text: string): WireResponse => ({
  status,
  xml: `<?xml version="1.0" encoding="UTF-8"?>\n${text}`,
});
const xmlError = (status: number, code: string, message: string, more = ''): WireResponse =>
  xml(status, `<Error><Code>${code}</Code><Message>${message}</Message>${more}</Error>`);

const signed = (policy: string) => sha256Of(`signed ${policy}`);

const policyOf = (bucket: string, key: string, type: string, endsAtMs: number): string =>
  Buffer.from(
    JSON.stringify({
      conditions: [{ bucket }, { key }, { acl: 'public-read' }, { 'content-type': type }],
      expiration: new Date(endsAtMs).toISOString(),
    }),
  ).toString('base64');

/** The fields of Amazon's upload form. */
const formOf = (key: string, type: string, ending: string, policy: string) => ({
  acl: 'public-read',
  key,
  success_action_status: '201',
  'content-type': type,
  'x-amz-storage-class': 'STANDARD',
  'x-amz-meta-ext': ending,
  policy,
  'X-Amz-Signature': signed(policy),
});

const accessDenied = (why = 'Access Denied') => xmlError(403, 'AccessDenied', why);

/** Why the storage refuses an upload; null: it accepts it. */
function refusalOf(
  asset: LeasedAsset | undefined,
  fields: Readonly<Record<string, unknown>>,
  at: Date,
): WireResponse | null {
  if (!asset || fields['policy'] !== asset.policy || fields['X-Amz-Signature'] !== signed(asset.policy)) {
    return accessDenied();
  }
  if (asset.policyEndsAtMs < at.getTime()) {
    return accessDenied('Invalid according to Policy: Policy expired.');
  }
  const file = fields['file'] as FormFile | undefined;
  if (fields['content-type'] !== asset.type || Object.keys(fields).at(-1) !== 'file' || !file) {
    return accessDenied('Invalid according to Policy: Policy Condition failed');
  }
  const most = bytesMax[asset.type] ?? 0;
  if (file.bytes.length <= most) return null;
  const sizes = `<ProposedSize>${file.bytes.length}</ProposedSize><MaxSizeAllowed>${most}</MaxSizeAllowed>`;
  return xmlError(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', sizes);
}

/** Upload leases at Amazon S3, and the storage itself. `origin` is its URL; Reddit's own is https only. */
export function mediaRoutes(now: () => Date, origin: () => string | null) {
  const assets = new Map<string, LeasedAsset>();
  let files = 0;

  function lease(body: unknown, author: string): WireResponse {
    const fields = fieldsOf(body);
    const [fileName, type] = [textOf(fields['filepath']), textOf(fields['mimetype'])];
    if (fileName === '' || bytesMax[type] === undefined) return httpError(400, 'Bad Request');
    const isVideo = type.startsWith('video/');
    const id = (FIRST_ASSET + BigInt(assets.size) * 7_919n).toString(36);
    const bucket = isVideo ? 'reddit-uploaded-video' : 'reddit-uploaded-media';
    const key = isVideo ? id : `rte_images/${id}`;
    const policyEndsAtMs = now().getTime() + POLICY_MS;
    const policy = policyOf(bucket, key, type, policyEndsAtMs);
    const ending = fileName.split('.').at(-1) ?? '';
    assets.set(id, { id, author, bucket, key, type, ending, policy, policyEndsAtMs, sha256: null });
    const values = formOf(key, type, ending, policy);
    return okResponse({
      args: {
        action: placeOf(bucket),
        fields: Object.entries(values).map(([name, value]) => ({ name, value })),
      },
      asset: {
        asset_id: id,
        payload: { filepath: fileName },
        websocket_url: `wss://ws-05ca86577a8823343.wss.redditmedia.com/${key}?m=AQAA`,
      },
    });
  }

  const placeOf = (bucket: string): string => {
    const own = origin();
    return own === null ? `//${bucket}.s3-accelerate.amazonaws.com` : `${own}/${bucket}`;
  };

  /** An Amazon upload form: the fields of the lease, followed by the file. */
  function take(body: unknown, bucket: string): WireResponse {
    const fields = fieldsOf(body);
    const asset = [...assets.values()].find((one) => one.key === fields['key'] && one.bucket === bucket);
    const file = fields['file'] as FormFile | undefined;
    const refused = refusalOf(asset, fields, now());
    if (refused || !asset || !file) return refused ?? accessDenied();
    files++;
    assets.set(asset.id, { ...asset, sha256: sha256Of(file.bytes) });
    const location = `https://${bucket}.s3-accelerate.amazonaws.com/${encodeURIComponent(asset.key)}`;
    return xml(
      201,
      `<PostResponse><Location>${location}</Location><Bucket>${bucket}</Bucket><Key>${asset.key}</Key></PostResponse>`,
    );
  }

  const shown = ({ id, type, sha256 }: LeasedAsset): HostedMedia => ({
    assetId: id,
    type,
    sha256: sha256 ?? '',
  });
  const ofAuthor = (author: string, fits: (asset: LeasedAsset) => boolean): HostedMedia | null => {
    const found = [...assets.values()].find(
      (one) => one.author === author && one.sha256 !== null && fits(one),
    );
    return found ? shown(found) : null;
  };

  return {
    lease,
    /** The response at a leased upload URL; null elsewhere. */
    serve({ method, path, body }: WireRequest): WireResponse | null {
      const [, bucket = ''] = /^\/(reddit-uploaded-(?:media|video))\/?$/.exec(path) ?? [];
      return method === 'POST' && bucket !== '' ? take(body, bucket) : null;
    },
    /** The account's own upload at this URL; null: none. */
    at: (author: string, url: string) =>
      ofAuthor(author, ({ bucket, key }) => url === `${absolute(placeOf(bucket))}/${key}`),
    byId: (author: string, id: string) => ofAuthor(author, (asset) => asset.id === id),
    /** The number of uploaded files. */
    files: () => files,
  };
}

const absolute = (place: string) => (place.startsWith('//') ? `https:${place}` : place);
