export interface PinnedFile {
  readonly type: string;
  readonly sha256: string;
}

export interface Pin {
  readonly id: string;
  readonly accountId: string;
  readonly boardId: string;
  readonly sectionId: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly link: string | null;
  readonly altText: string | null;
  readonly files: readonly PinnedFile[];
  /** The cover frame of a video, in seconds. */
  readonly coverSecond: number | null;
  readonly createdAt: Date;
}

/** All pins ever created, including deleted ones. */
export function pinStore(now: () => Date) {
  const all: Pin[] = [];
  const gone = new Set<string>();
  const living = () => all.filter(({ id }) => !gone.has(id));

  return {
    /** The number of pins ever created. */
    createdCount: () => all.length,
    find: (id: string) => living().find((pin) => pin.id === id) ?? null,
    pin(pin: Omit<Pin, 'id' | 'createdAt'>): Pin {
      const created = { ...pin, id: String(813_744_226_420_795_884n + BigInt(all.length)), createdAt: now() };
      all.push(created);
      return created;
    },
    remove: (id: string) => void gone.add(id),
    /** Newest first. */
    of: (accountId: string) =>
      living()
        .filter((pin) => pin.accountId === accountId)
        .reverse(),
  };
}

export type PinStore = ReturnType<typeof pinStore>;
