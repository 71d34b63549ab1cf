import { randomBytes } from 'node:crypto';
import { textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { googleError } from './errors.js';
import { readVideo } from './read-video.js';
import type { VideoStore, VideoMetadata, YouTubeVideo } from './video-store.js';

interface UploadSession {
  readonly words: VideoMetadata;
  readonly channelId: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The size of the video, once a chunk has declared it. */
  readonly total: number;
  readonly videoId: string | null;
}

interface UploadOptions {
  readonly videos: VideoStore;
  /** Whether unaudited projects may publish a video. */
  readonly audited: boolean;
  /** The reason why a new upload is rejected now; null when it is accepted. */
  readonly refuses: () => WireResponse | null;
  readonly present: (video: YouTubeVideo) => unknown;
}

/** All chunks except the last are multiples of this size. */
const UNIT_BYTES = 256 * 1024;
const PATH = '/upload/youtube/v3/videos';

/** Resumable uploads according to developers.google.com/youtube/v3/guides/using_resumable_upload_protocol. */
export function uploadRoutes({ videos, audited, refuses, present }: UploadOptions) {
  const sessions = new Map<string, UploadSession>();
  let [begun, keepsBytes, pollsUntilCreated] = [0, Infinity, 0];

  function begin({ query, headers, body }: WireRequest, channelId: string): WireResponse {
    const refused = refuses();
    if (refused) return refused;
    const words = readVideo(body, query.get('notifySubscribers') !== 'false');
    if ('status' in words) return words;
    const type = textOf(headers['x-upload-content-type']);
    if (!/^video\/|^application\/octet-stream$/.test(type)) {
      return googleError(400, 'mediaBodyRequired', 'The request does not include the video content.');
    }
    begun++;
    const id = randomBytes(16).toString('base64url');
    const privacyStatus = audited ? words.privacyStatus : 'private';
    sessions.set(id, {
      words: { ...words, privacyStatus },
      channelId,
      type,
      bytes: new Uint8Array(),
      total: Infinity,
      videoId: null,
    });
    const part = encodeURIComponent(query.get('part') ?? '');
    const location = `http://${String(headers['host'])}${PATH}?uploadType=resumable&part=${part}&upload_id=${id}`;
    return { status: 200, headers: { location } };
  }

  function send({ query, headers, body }: WireRequest, channelId: string): WireResponse {
    const id = query.get('upload_id') ?? '';
    const session = sessions.get(id);
    if (session?.channelId !== channelId) return nothingHere;
    if (session.videoId !== null) {
      const created = videos.find(session.videoId);
      return created ? { status: 200, json: present(created) } : nothingHere;
    }
    const range = textOf(headers['content-range']);
    if (/^bytes \*\/(\d+|\*)$/.test(range)) return settled(id, session);
    const bytes = body instanceof Uint8Array ? body : new Uint8Array();
    const [, first = '', last = '', all = ''] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? [];
    const [start, end, total] = [Number(first), Number(last), Number(all)];
    const isLast = end + 1 === total;
    const fits = all !== '' && start === session.bytes.length && end - start + 1 === bytes.length;
    if (!fits || (!isLast && bytes.length % UNIT_BYTES !== 0)) {
      return googleError(400, 'badRequest', 'Invalid request.', 'global');
    }
    const stored = Buffer.concat([session.bytes, bytes]).subarray(0, keepsBytes);
    keepsBytes = Infinity;
    return settled(id, { ...session, bytes: stored, total });
  }

  /** The last byte turns an upload into a video. */
  function settled(id: string, session: UploadSession): WireResponse {
    sessions.set(id, session);
    if (session.bytes.length < session.total || pollsUntilCreated-- > 0) return incomplete(session);
    pollsUntilCreated = 0;
    const created = videos.add(session.words, session.channelId, session.type, session.bytes);
    sessions.set(id, { ...session, bytes: new Uint8Array(), videoId: created.id });
    return { status: 200, json: present(created) };
  }

  return {
    begin,
    send,
    begun: () => begun,
    /** Of the next chunk, only the part within this many first bytes of the video is stored. */
    setStoredBytesLimit: (bytes: number) => void (keepsBytes = bytes),
    /** For this many polls, the next completely uploaded file is not a video yet. */
    setPollsUntilCreated: (polls: number) => void (pollsUntilCreated = polls),
    /** Expires all upload URLs. */
    forget: () => sessions.clear(),
  };
}

/** Not in Google's error format. */
const nothingHere: WireResponse = { status: 404, html: 'Not Found' };

const incomplete = ({ bytes }: UploadSession): WireResponse => ({
  status: 308,
  ...(bytes.length > 0 && { headers: { range: `bytes=0-${bytes.length - 1}` } }),
});
