/** What is wrong in a log, and where. */
export type Finding = {
  readonly height: number;
  /** The place of the command in its block; absent where the block as a whole is wrong. */
  readonly command?: number;
  readonly what: string;
};

/** A log is wrong at this place: nothing behind it is believed. */
export class FindingError extends Error {
  override readonly name = 'FindingError';
  readonly finding: Finding;

  constructor(finding: Finding, cause?: unknown) {
    super(findingText(finding), cause === undefined ? {} : { cause });
    this.finding = finding;
  }
}

/** Nothing is wrong so far, but it can't be judged now: the chain is away or behind, or this release is too old. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError';
}

export function findingText({ command, height, what }: Finding): string {
  const at = command === undefined ? '' : `, command ${command}`;
  return `block ${height}${at}: ${what}`;
}
