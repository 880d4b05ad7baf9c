/** How records stand in the lines of a file, without the lines' ends. */
export type LineForm = {
  /** `isLast` is false when the next line is appended together with this one. */
  readonly write: (record: unknown, before: string, isLast: boolean) => WrittenLine;
  /** `before` is the line that it stands behind; undefined for the first. */
  readonly read: (text: string, before: ReadLine | undefined) => ReadLine;
  /** What a crash can leave of a line that nobody was told of, beside one without its end: its end, and holes before it. */
  readonly canHaveHoles: boolean;
  /** A line that lacks nothing but its end counts: somebody may have acted on it all the same. */
  readonly countsWithoutEnd: boolean;
};

type WrittenLine = {
  readonly text: string;
  /** The next line's check continues this one. */
  readonly check: string;
};

export type ReadLine = {
  readonly record: unknown;
  readonly check: string;
  /** It is as it was written, and behind what it was written behind. */
  readonly isRight: boolean;
  /** Nothing more was appended with it. */
  readonly isLast: boolean;
  /** It is of a release before the form, and so are all lines before it. */
  readonly isEarlier?: boolean;
};
