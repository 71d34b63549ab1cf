import { createHash } from 'node:crypto';
import type { Read } from '../wire/exchange.js';
import { objectStore, type NewObject, type StoredObject } from '../wire/object-store.js';
import { sha256Of } from '../wire/sha256.js';
import type { readVideo } from './read-video.js';

interface YouTubeFile {
  readonly type: string;
  readonly sha256: string;
}

export type VideoMetadata = Read<typeof readVideo>;

export interface YouTubeVideo extends VideoMetadata, StoredObject {
  readonly channelId: string;
  readonly videoFile: YouTubeFile;
  readonly thumbnail: YouTubeFile | null;
}

/** The processing state that a video's owner reads (docs/videos, `status`). */
export interface VideoProcessing {
  readonly uploadStatus: 'deleted' | 'failed' | 'processed' | 'rejected' | 'uploaded';
  readonly failureReason?: string | undefined;
  readonly rejectionReason?: string | undefined;
}

export interface YouTubeComment extends StoredObject {
  readonly videoId: string;
  readonly authorChannelId: string;
  readonly text: string;
}

/** All videos and comments ever created, including deleted ones. */
export function videoStore(now: () => Date) {
  const videos = objectStore<YouTubeVideo>(now, (index) => idOf(`video ${index}`, 11));
  const comments = objectStore<YouTubeComment>(now, (index) => `Ugx${idOf(`comment ${index}`, 19)}AaABAg`);
  const shows: { readonly id: string; readonly privacyStatus: string }[] = [];
  let [pollsUntilKnown, lists, holdsLinks] = [0, true, false];
  const unknownFor = new Map<string, number>();
  const polls = new Map<string, number>();
  const held = new Set<string>();
  const processed: VideoProcessing = { uploadStatus: 'processed' };
  let [pollsUntilProcessed, endsAs] = [0, processed];
  const processing = new Map<string, { looks: number; readonly end: VideoProcessing }>();

  return {
    /** The number of videos and comments ever created. */
    createdCount: () => videos.createdCount() + comments.createdCount(),
    find: videos.find,
    /** The view of other methods: each of them learns about new videos with its own delay. */
    seen(id: string, by: 'change' | 'list' = 'change'): YouTubeVideo | null {
      const key = `${by} ${id}`;
      const nth = (polls.get(key) ?? 0) + 1;
      polls.set(key, nth);
      return nth > (unknownFor.get(id) ?? 0) ? videos.find(id) : null;
    },
    /** The processing state of a video; each poll advances it. */
    processingOf(id: string): VideoProcessing {
      const one = processing.get(id);
      if (one && one.looks-- > 0) return { uploadStatus: 'uploaded' };
      return one?.end ?? processed;
    },
    comment(id: string): YouTubeComment | null {
      const found = comments.find(id);
      return found && videos.find(found.videoId) ? found : null;
    },
    add(words: VideoMetadata, channelId: string, type: string, bytes: Uint8Array): YouTubeVideo {
      const videoFile = { type, sha256: sha256Of(bytes) };
      const created = videos.create({ ...words, channelId, videoFile, thumbnail: null });
      const { id, privacyStatus } = created;
      shows.push({ id, privacyStatus });
      unknownFor.set(id, pollsUntilKnown);
      processing.set(id, { looks: pollsUntilProcessed, end: endsAs });
      return created;
    },
    setThumbnail: (id: string, type: string, bytes: Uint8Array) =>
      void videos.change(id, { thumbnail: { type, sha256: sha256Of(bytes) } }),
    setStatus(id: string, status: Partial<VideoMetadata>): YouTubeVideo | null {
      const changed = videos.change(id, status);
      if (changed) shows.push({ id, privacyStatus: changed.privacyStatus });
      return changed;
    },
    /** By the channel: the snippet of a video, or the text of a comment. */
    edit: videos.edit,
    editComment: (id: string, text: string) => comments.edit(id, { text }),
    editCount: () => videos.edits().length + comments.edits().length,
    say(comment: NewObject<YouTubeComment>): YouTubeComment {
      const created = comments.create(comment);
      if (holdsLinks && created.text.includes('://')) held.add(created.id);
      return created;
    },
    remove(id: string): void {
      videos.remove(id);
      comments.remove(id);
    },
    /** Newest first. */
    uploads: (channel: string) => (lists ? videos.list(({ channelId }) => channelId === channel) : []),
    /** Whether a comment is held for review by the channel owner. */
    isHeld: (id: string) => held.has(id),
    commentsOn: (video: string) => comments.list(({ videoId, id }) => videoId === video && !held.has(id)),
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
