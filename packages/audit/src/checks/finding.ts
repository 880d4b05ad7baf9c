export type Finding = {
  readonly height: number;
  /** The index of the command in its block; absent if the block as a whole is wrong. */
  readonly command?: number;
  readonly what: string;
};

/** Thrown if the log is invalid at this position. No later block is accepted. */
export class FindingError extends Error {
  override readonly name = 'FindingError';
  readonly finding: Finding;

  constructor(finding: Finding, cause?: unknown) {
    super(findingText(finding), cause === undefined ? {} : { cause });
    this.finding = finding;
  }
}

/**
 * Thrown if the block cannot be judged yet. No error has been found so far. The chain may be
 * unavailable or behind, or this release may be too old.
 */
export class NotYetError extends Error {
  override readonly name = 'NotYetError';
}

export function findingText({ command, height, what }: Finding): string {
  const at = command === undefined ? '' : `, command ${command}`;
  return `block ${height}${at}: ${what}`;
}
