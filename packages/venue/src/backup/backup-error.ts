/** Something that an operator can mend; nothing has changed. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
