/** The stream lacks blocks that a replica has, and that were acknowledged; or it has others in their place. */
export class StreamLostError extends Error {
  override readonly name = 'StreamLostError';
  /** The first block that the stream lacks, and the last one that this replica has. */
  readonly from: number;
  readonly to: number;

  constructor({
    from,
    to,
    why,
  }: {
    readonly from: number;
    readonly to: number;
    readonly why: string;
  }) {
    super(
      `the stream lost blocks ${from} to ${to}, which this replica has: ${why}. ` +
        'No orders are taken; restore the stream from the longest copy (cluster restore)',
    );
    this.from = from;
    this.to = to;
  }
}

/** A replica whose files end before the stream begins. */
export class StreamBeginsLaterError extends Error {
  override readonly name = 'StreamBeginsLaterError';

  constructor(ownSeq: number, firstSeq: number) {
    super(
      `this replica has blocks up to ${ownSeq}, and the stream begins with ${firstSeq}: ` +
        'it needs a newer snapshot, from the object store or copied from another replica',
    );
  }
}

/** A stream of another venue. */
export class ForeignStreamError extends Error {
  override readonly name = 'ForeignStreamError';

  constructor(found: string, own: string) {
    super(`the stream is the log of ${found}, and this is a replica of ${own}`);
  }
}
