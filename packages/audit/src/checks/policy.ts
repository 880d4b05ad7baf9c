/** What whoever believes nobody believes all the same, by decision of its operator. */
export type Policy = {
  /** The name that requests are signed for. */
  readonly serviceNetwork: string;
  /** Names that the venue had before, which older requests may be signed for. */
  readonly formerNames?: readonly string[] | undefined;
  /** Blocks of earlier eras, whose commands this release can't derive, are applied by their own engine and counted. */
  readonly appliesEarlier?: boolean | undefined;
  /** The venue brings prices into the log by itself; else an operator must have signed them. */
  readonly venuePrices: boolean;
  /** The venue gives test money away, and lists and resolves made-up events. */
  readonly testMoney: boolean;
  /** Of signatures that concern no money one of so many is recovered; 1 recovers all. */
  readonly sampleOneIn: number;
  /** The operator answers for all up to this block, whose hash must be this one. */
  readonly vouched?: { readonly height: number; readonly hash: string } | undefined;
  /** Blocks before this one are applied and not derived: whoever asks has looked at them already. */
  readonly derivedFrom?: number | undefined;
};
