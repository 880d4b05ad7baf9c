export type Sentence = {
  readonly text: string;
  /** Which entry of the request it is about, as the venue numbers what became of them. */
  readonly entry?: number | undefined;
  /** Buying and selling have a colour. */
  readonly side?: 'buy' | 'sell' | undefined;
  /** Its prices are of shares, in cents. */
  readonly isOutcome?: boolean | undefined;
};

/** Names an instrument by its id. */
export type NameOf = (id: number) => string;
