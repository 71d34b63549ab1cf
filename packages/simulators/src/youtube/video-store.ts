import { createHash } from 'node:crypto';

export interface YouTubeFile {
  readonly type: string;
  readonly sha256: string;
}

/** The owner's metadata of a video. */
export interface VideoMetadata {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly categoryId: string;
  readonly privacyStatus: string;
  readonly selfDeclaredMadeForKids: boolean | null;
  readonly containsSyntheticMedia: boolean | null;
  readonly notifiesSubscribers: boolean;
}

export interface YouTubeVideo extends VideoMetadata {
  readonly id: string;
  readonly channelId: string;
  readonly videoFile: YouTubeFile;
  readonly thumbnail: YouTubeFile | null;
  readonly publishedAt: Date;
}

/** The processing state that a video's owner reads (docs/videos, `status`). */
export interface VideoProcessing {
  readonly uploadStatus: 'deleted' | 'failed' | 'processed' | 'rejected' | 'uploaded';
  readonly failureReason?: string | undefined;
  readonly rejectionReason?: string | undefined;
}

export interface YouTubeComment {
  readonly id: string;
  readonly videoId: string;
  readonly authorChannelId: string;
  readonly text: string;
  readonly publishedAt: Date;
}

/** All videos and comments ever created, including deleted ones. */
export function videoStore(now: () => Date) {
  const videos: YouTubeVideo[] = [];
  const comments: YouTubeComment[] = [];
  const gone = new Set<string>();
  const shows: { readonly id: string; readonly privacyStatus: string }[] = [];
  let [pollsUntilKnown, lists, holdsLinks] = [0, true, false];
  const unknownFor = new Map<string, number>();
  const polls = new Map<string, number>();
  const held = new Set<string>();
  const processed: VideoProcessing = { uploadStatus: 'processed' };
  let [pollsUntilProcessed, endsAs] = [0, processed];
  const processing = new Map<string, { looks: number; readonly end: VideoProcessing }>();
  const find = (id: string) => videos.find((one) => one.id === id && !gone.has(id)) ?? null;

  function change(id: string, more: Partial<YouTubeVideo>): YouTubeVideo | null {
    const at = videos.findIndex((one) => one.id === id);
    const [before] = videos.slice(at, at + 1);
    return before ? (videos[at] = { ...before, ...more }) : null;
  }

  return {
    /** The number of videos and comments ever created. */
    createdCount: () => videos.length + comments.length,
    find,
    /** The view of other methods: each of them learns about new videos with its own delay. */
    seen(id: string, by: 'change' | 'list' = 'change'): YouTubeVideo | null {
      const key = `${by} ${id}`;
      const nth = (polls.get(key) ?? 0) + 1;
      polls.set(key, nth);
      return nth > (unknownFor.get(id) ?? 0) ? find(id) : null;
    },
    /** The processing state of a video; each poll advances it. */
    processingOf(id: string): VideoProcessing {
      const one = processing.get(id);
      if (one && one.looks-- > 0) return { uploadStatus: 'uploaded' };
      return one?.end ?? processed;
    },
    comment: (id: string) =>
      comments.find((one) => one.id === id && !gone.has(one.videoId) && !gone.has(id)) ?? null,
    add(words: VideoMetadata, channelId: string, type: string, bytes: Uint8Array): YouTubeVideo {
      const id = idOf(`video ${videos.length}`, 11);
      const video = { type, sha256: createHash('sha256').update(bytes).digest('hex') };
      const created = { ...words, id, channelId, videoFile: video, thumbnail: null, publishedAt: now() };
      videos.push(created);
      shows.push({ id, privacyStatus: words.privacyStatus });
      unknownFor.set(id, pollsUntilKnown);
      processing.set(id, { looks: pollsUntilProcessed, end: endsAs });
      return created;
    },
    setThumbnail(id: string, type: string, bytes: Uint8Array): void {
      change(id, { thumbnail: { type, sha256: createHash('sha256').update(bytes).digest('hex') } });
    },
    setStatus(id: string, status: Partial<VideoMetadata>): YouTubeVideo | null {
      const changed = change(id, status);
      if (changed) shows.push({ id, privacyStatus: changed.privacyStatus });
      return changed;
    },
    say(comment: Omit<YouTubeComment, 'id' | 'publishedAt'>): YouTubeComment {
      const created = {
        ...comment,
        id: `Ugx${idOf(`comment ${comments.length}`, 19)}AaABAg`,
        publishedAt: now(),
      };
      comments.push(created);
      if (holdsLinks && created.text.includes('://')) held.add(created.id);
      return created;
    },
    remove: (id: string) => void gone.add(id),
    /** Newest first. */
    uploads: (channelId: string) =>
      lists ? videos.filter((one) => one.channelId === channelId && !gone.has(one.id)).reverse() : [],
    /** Whether a comment is held for review by the channel owner. */
    isHeld: (id: string) => held.has(id),
    commentsOn: (videoId: string) =>
      comments
        .filter(({ id, ...one }) => one.videoId === videoId && !gone.has(id) && !held.has(id))
        .reverse(),
    /** The history of a video's public visibility. */
    shownAs: (id: string): readonly string[] =>
      shows.filter((one) => one.id === id).map(({ privacyStatus }) => privacyStatus),
    /** The number of reads that do not find a new video from now on. */
    setPollsUntilKnown: (polls: number) => void (pollsUntilKnown = polls),
    /** The processing outcome of new videos from now on, and the number of polls that return "processing". */
    setPollsUntilProcessed: (polls: number, end: VideoProcessing = processed) =>
      void ([pollsUntilProcessed, endsAs] = [polls, end]),
    /** Whether comments with links are held for review, and therefore unlisted, from now on. */
    holdsLinks: (does: boolean) => void (holdsLinks = does),
    /** Whether the list of uploads has content from now on: it may be hours late. */
    listsUploads: (does: boolean) => void (lists = does),
  };
}

const idOf = (seed: string, length: number): string =>
  createHash('sha256').update(seed).digest('base64url').slice(0, length);

export type VideoStore = ReturnType<typeof videoStore>;
