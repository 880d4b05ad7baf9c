export type RecordLines = {
  readonly records: readonly unknown[];
  /** Numbers of lines that are not as they were written, which no crash explains. */
  readonly damaged: readonly number[];
};

/**
 * Records that outlive who writes them, in the order in which they were written: a file, or what several machines share. A
 * file is done when a call returns; where a promise comes back, when that resolves.
 */
export type RecordStore = {
  /** For operators. */
  readonly name: string;
  /** Before anything is appended. */
  read(): RecordLines;
  /** All or none of them, and there for good before anybody acts on them. */
  append(records: readonly unknown[]): void | Promise<void>;
  /** Puts these in the place of what it holds. Where that is not done at once, what is appended follows it or fails with it. */
  replace(records: Iterable<unknown>): void;
  /** The same once most of it is of no use any more; one that fails is tried again later. */
  shorten(records: { readonly size: number; values(): Iterable<unknown> }): void;
  /** Keeps what it holds for an operator to look at, where that is possible, and says where. */
  setAside(): string;
  close(): void;
};
