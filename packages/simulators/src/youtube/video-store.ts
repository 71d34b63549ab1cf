import { createHash } from 'node:crypto';

export interface YouTubeFile {
  readonly type: string;
  readonly sha256: string;
}

/** What its owner says of a video. */
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
  readonly film: YouTubeFile;
  readonly thumbnail: YouTubeFile | null;
  readonly publishedAt: Date;
}

/** What the owner of a video reads of its processing (docs/videos, `status`). */
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

/** Every video and comment that was ever made, and what of them still stands. */
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
    /** How many videos and comments were ever made. */
    createdCount: () => videos.length + comments.length,
    find,
    /** As other methods see it: those that came a moment ago are not known to all of them yet, and to each in its time. */
    seen(id: string, by: 'change' | 'list' = 'change'): YouTubeVideo | null {
      const key = `${by} ${id}`;
      const nth = (polls.get(key) ?? 0) + 1;
      polls.set(key, nth);
      return nth > (unknownFor.get(id) ?? 0) ? find(id) : null;
    },
    /** How far the processing of a video is; each look brings it nearer to its end. */
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
      const created = { ...words, id, channelId, film: video, thumbnail: null, publishedAt: now() };
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
    /** The newest first. */
    uploads: (channelId: string) =>
      lists ? videos.filter((one) => one.channelId === channelId && !gone.has(one.id)).reverse() : [],
    /** Whether a comment waits for its channel's owner to approve it. */
    isHeld: (id: string) => held.has(id),
    commentsOn: (videoId: string) =>
      comments
        .filter(({ id, ...one }) => one.videoId === videoId && !gone.has(id) && !held.has(id))
        .reverse(),
    /** How a video was shown to people, first and later. */
    shownAs: (id: string): readonly string[] =>
      shows.filter((one) => one.id === id).map(({ privacyStatus }) => privacyStatus),
    /** From now on, how many looks at a new video find nothing. */
    setPollsUntilKnown: (polls: number) => void (pollsUntilKnown = polls),
    /** From now on, how the processing of a new video ends, and how many looks find it still under way. */
    setPollsUntilProcessed: (polls: number, end: VideoProcessing = processed) =>
      void ([pollsUntilProcessed, endsAs] = [polls, end]),
    /** From now on, whether comments with links are held for review: they are not listed. */
    holdsLinks: (does: boolean) => void (holdsLinks = does),
    /** From now on, whether the list of uploads has anything in it: it may be hours late. */
    listsUploads: (does: boolean) => void (lists = does),
  };
}

const idOf = (seed: string, length: number): string =>
  createHash('sha256').update(seed).digest('base64url').slice(0, length);

export type VideoStore = ReturnType<typeof videoStore>;
