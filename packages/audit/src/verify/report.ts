import type { Counts } from '../checks/command-checker.ts';

export type Located = {
  readonly file: string;
  /**
   * The offset of a byte in the file or in its decompressed content; absent if a row or a block
   * differs.
   */
  readonly offset?: number;
  readonly block?: number;
  readonly what: string;
};

export type VerifyReport = {
  readonly height: number;
  readonly hash: string;
  /**
   * The findings in the order they were discovered. The first finding in the log ends the replay.
   */
  readonly findings: readonly Located[];
  /** Differences in data that is never read. */
  readonly harmless: readonly Located[];
  /** The parts that were accepted without verification. */
  readonly believed: readonly string[];
  readonly counts: Readonly<Counts>;
};
