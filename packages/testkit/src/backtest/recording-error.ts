/** A line of a recording that can not be used, and why. */
export class RecordingError extends Error {
  readonly file: string;
  readonly line: number;

  constructor(where: { readonly file: string; readonly line: number }, fault: string) {
    super(`${where.file}, line ${where.line}: ${fault}`);
    this.name = 'RecordingError';
    this.file = where.file;
    this.line = where.line;
  }
}
