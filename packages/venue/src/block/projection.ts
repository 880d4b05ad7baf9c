/** Something beside the engine that is made of blocks and rides along in snapshots. */
export type Companion = {
  readonly name: string;
  dump(): unknown;
  restore(data: unknown): void;
};
