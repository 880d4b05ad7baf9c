/** The frames of blocks after one, up to another. */
export type PastSpan = { readonly after: number; readonly upTo: number };

/** A frame of a block that a stream does not have, as it would have sent it. */
export type PastFrame = {
  readonly height: number;
  /** JSON text. */
  readonly data: string;
};

/** What somebody missed elsewhere, read piece by piece: as fast as it is sent, and never all of it at once. */
export interface Past {
  /** How many frames it has. */
  readonly count: number;
  /** Some more of them, oldest first; none at the end. Rejects when they can't be read. */
  next(): readonly PastFrame[] | Promise<readonly PastFrame[]>;
}

export const NOTHING_PAST: Past = { count: 0, next: () => [] };
