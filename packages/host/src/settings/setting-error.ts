/** A setting that cannot be used; its message is meant for the operator. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
