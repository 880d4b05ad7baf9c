/** Where a row of a recording stands: in a line of a file, or as the so many'th of those that a program made. */
export type RowPlace = { readonly file?: string; readonly line: number };

/** A line of a recording that can not be used, and why. */
export class RecordingError extends Error {
  /** Undefined where a program made the rows. */
  readonly file: string | undefined;
  /** The line of the file, or the number of the row, from 1 on. */
  readonly line: number;

  constructor({ file, line }: RowPlace, fault: string) {
    super(`${file === undefined ? 'row' : `${file}, line`} ${line}: ${fault}`);
    this.name = 'RecordingError';
    this.file = file;
    this.line = line;
  }
}
