import type { FetchedFile } from './fetched-file.js';

export type ContainerState = 'EXPIRED' | 'ERROR' | 'FINISHED' | 'IN_PROGRESS' | 'PUBLISHED';

/** The content to publish, and the media fetched for it. */
export interface Container {
  readonly id: string;
  readonly accountId: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly FetchedFile[];
  /** The reason why it cannot be published. */
  readonly error: string | null;
  readonly createdAt: Date;
}

const DAY_MS = 86_400_000;

/** Containers of Instagram and Threads: they expire unless published within a day. */
export function containerStore(now: () => Date, firstId: bigint) {
  const all: Container[] = [];
  const published = new Set<string>();
  const forgotten = new Set<string>();
  const pollsLeft = new Map<string, number>();
  let takes = 0;

  return {
    createdCount: (): readonly Container[] => all,
    add(created: Omit<Container, 'id' | 'createdAt'>): Container {
      const one = { ...created, id: String(firstId + BigInt(all.length)), createdAt: now() };
      all.push(one);
      pollsLeft.set(one.id, created.files.length > 0 ? takes : 0);
      return one;
    },
    find: (accountId: string, id: string): Container | null =>
      all.find((one) => one.id === id && one.accountId === accountId && !forgotten.has(id)) ?? null,
    stateOf(one: Container): ContainerState {
      if (published.has(one.id)) return 'PUBLISHED';
      if (now().getTime() - one.createdAt.getTime() > DAY_MS) return 'EXPIRED';
      if ((pollsLeft.get(one.id) ?? 0) > 0) return 'IN_PROGRESS';
      return one.error === null ? 'FINISHED' : 'ERROR';
    },
    /** Every poll advances the processing. */
    look: (one: Container) => void pollsLeft.set(one.id, Math.max(0, (pollsLeft.get(one.id) ?? 0) - 1)),
    publish: (one: Container) => void published.add(one.id),
    /** Deletes all containers, so that their outcome can no longer be read. */
    forget: (id: string) => void forgotten.add(id),
    /** The number of polls that return "in progress" for containers created from now on. */
    setProcessingPolls: (polls: number) => void (takes = polls),
  };
}

export type ContainerStore = ReturnType<typeof containerStore>;

type ContainerFields = Container['fields'];

/** A file of a published container with its alternative text. */
export interface PublishedFile extends FetchedFile {
  readonly url: string;
  readonly altText: string | null;
}

export const childrenOf = ({ children = '' }: ContainerFields): readonly string[] =>
  children.split(',').filter((id) => id !== '');

/** The files of a container and of its children. */
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

/** Whether the children of a new container are carousel items that can be published. */
export const areChildrenReady = (
  containers: ContainerStore,
  accountId: string,
  fields: ContainerFields,
): boolean =>
  childrenOf(fields)
    .map((id) => containers.find(accountId, id))
    .every((one) => one?.fields['is_carousel_item'] === 'true' && containers.stateOf(one) === 'FINISHED');
