/** Why a validator does not sign; the message goes to who asked. */
export class SigningRefusal extends Error {
  override readonly name = 'SigningRefusal';
  /** Of HTTP. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
