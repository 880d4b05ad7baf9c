/** An action whose answer was lost, and which the venue does not know when it is asked for it by its name. */
export class NotArrivedError extends Error {
  override readonly name = 'NotArrivedError';
  readonly txHash: string;
  /** It has no end, so it may be on its way and still be taken. Without this, it never will be: its time is over. */
  readonly mayStill: boolean;

  constructor({ mayStill, txHash }: { readonly txHash: string; readonly mayStill: boolean }) {
    super(`the venue does not know ${txHash}${mayStill ? ' yet' : ', and takes it no more'}`);
    this.txHash = txHash;
    this.mayStill = mayStill;
  }
}
