import type { Counts } from '../checks/command-checker.ts';

/** What does not stand in a data folder, and where. */
export type Located = {
  readonly file: string;
  /** A byte of the file; of a compressed one, of what it holds. Absent where a row or a block is what differs. */
  readonly offset?: number;
  readonly block?: number;
  readonly what: string;
};

/** What came out of looking through a data folder. */
export type VerifyReport = {
  readonly height: number;
  readonly hash: string;
  /** In the order in which they were found; the first of the log ends the replay. */
  readonly findings: readonly Located[];
  /** What differs from what was written, and is read by nobody. */
  readonly harmless: readonly Located[];
  /** What had to be believed, or was not looked at. */
  readonly believed: readonly string[];
  readonly counts: Readonly<Counts>;
};
