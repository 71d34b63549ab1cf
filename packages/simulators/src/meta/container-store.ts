import { numbersFrom, objectStore, type NewObject, type StoredObject } from '../wire/object-store.js';
import { uploadProcessing } from '../wire/processing.js';
import type { WireResponse } from '../wire/exchange.js';
import type { FetchedFile } from './fetched-file.js';
import { badParameter } from './graph.js';

/** The content of a new container, or the reason why it cannot be published. */
export type NewContainer = Pick<Container, 'files' | 'error'>;
type ContainerState = 'EXPIRED' | 'ERROR' | 'FINISHED' | 'IN_PROGRESS' | 'PUBLISHED';

/** The content to publish, and the media fetched for it. */
export interface Container extends StoredObject {
  readonly accountId: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly FetchedFile[];
  /** The reason why it cannot be published. */
  readonly error: string | null;
}

const DAY_MS = 86_400_000;

/** Containers of Instagram and Threads: they expire unless published within a day. */
export function containerStore(now: () => Date) {
  const { all, create, find, remove } = objectStore<Container>(now, numbersFrom(17_900_000_000_000_001n));
  const published = new Set<string>();
  const { start, stateOf, poll, setProcessingPolls } = uploadProcessing();

  return {
    setProcessingPolls,
    createdCount: (): readonly Container[] => all,
    add(fields: NewObject<Container>): Container {
      const created = create(fields);
      start(created.id, created.files.length > 0);
      return created;
    },
    find(accountId: string, id: string): Container | null {
      const found = find(id);
      return found?.accountId === accountId ? found : null;
    },
    stateOf({ id, createdAt, error }: Container): ContainerState {
      if (published.has(id)) return 'PUBLISHED';
      if (now().getTime() - createdAt.getTime() > DAY_MS) return 'EXPIRED';
      if (stateOf(id) === 'processing') return 'IN_PROGRESS';
      return error === null ? 'FINISHED' : 'ERROR';
    },
    look: ({ id }: Container) => void poll(id),
    publish: ({ id }: Container) => void published.add(id),
    /** Deletes a container, so that its outcome can no longer be read. */
    forget: remove,
  };
}

export type ContainerStore = ReturnType<typeof containerStore>;

type ContainerFields = Container['fields'];

/** A file of a published container with its alternative text. */
export interface PublishedFile extends FetchedFile {
  readonly url: string;
  readonly altText: string | null;
}

/** The fields of a published container's files. */
export const presentFiles = (id: string, [first, ...more]: readonly PublishedFile[]) => ({
  media_type:
    more.length > 0
      ? 'CAROUSEL_ALBUM'
      : !first
        ? 'TEXT_POST'
        : first.type.startsWith('image/')
          ? 'IMAGE'
          : 'VIDEO',
  alt_text: more.length === 0 ? (first?.altText ?? undefined) : undefined,
  children:
    more.length > 0
      ? { data: [first, ...more].map((_, at) => ({ id: String(BigInt(id) * 100n + BigInt(at)) })) }
      : undefined,
});

export const childrenOf = ({ children = '' }: ContainerFields): readonly string[] =>
  children.split(',').filter((id) => id !== '');

export function filesOf(containers: ContainerStore, one: Container): readonly PublishedFile[] {
  const children = childrenOf(one.fields).flatMap((id) => containers.find(one.accountId, id) ?? []);
  return [one, ...children].flatMap(({ files, fields }) =>
    files.map((file) => ({
      ...file,
      url: fields['image_url'] ?? fields['video_url'] ?? '',
      altText: fields['alt_text'] ?? null,
    })),
  );
}

/** The error of a new container whose children are not carousel items that can be published. */
export function unreadyChildren(
  containers: ContainerStore,
  accountId: string,
  fields: ContainerFields,
): WireResponse | null {
  const isReady = childrenOf(fields)
    .map((id) => containers.find(accountId, id))
    .every((one) => one?.fields['is_carousel_item'] === 'true' && containers.stateOf(one) === 'FINISHED');
  const message = 'Param children has an id that is no carousel item ready to publish';
  return isReady ? null : badParameter(message);
}
