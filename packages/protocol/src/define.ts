import type * as z from 'zod';

/** Stands for a type in a definition. It carries no value. */
type TypeOf<Type> = { readonly type?: Type };

/** Names a type in a definition. */
export function typeOf<Type>(): TypeOf<Type> {
  return {};
}

/** The type that a definition names. */
export type NamedType<Stand> = Stand extends TypeOf<infer Type> ? Type : never;

/** One query of /info. The SDK has a method of its name, with the comment of the definition. */
export type QueryDefinition = {
  readonly schema: z.ZodType;
  /** The `data` of the response. */
  readonly answer: TypeOf<unknown>;
  /** Names of the query at other venues of the family, with what a refusal adds to this query's name. */
  readonly otherNames?: Readonly<Record<string, string>>;
};

/** One channel of a socket. The SDK has a method of its name, with the comment of the definition. */
export type ChannelDefinition = {
  readonly schema: z.ZodType;
  /** The `data` of its frames. */
  readonly data: TypeOf<unknown>;
  /**
   * The channel reports facts: each frame has the block to which it belongs, and a client that names a block resumes after
   * it in any process of the venue. Other channels report a state, of which only the newest frame matters.
   */
  readonly isFact?: true;
  /** How the frames of a stream make up its state; absent where a late listener needs no state. */
  readonly state?: StreamState;
};

/**
 * How a frame changes the state of a stream. `list` names the field with the rows.
 *
 * - `whole`: each frame is the state.
 * - `levels`: the frame has the changed levels of a book.
 * - `instruments`: the frame has the changed rows, one for each instrument.
 * - `newest`: the frame has new rows, oldest first; the state has the newest ones, newest first.
 * - `orders`: as `newest`, and a row replaces the row of the same order.
 * - `ledger`: as `newest`, and a withdrawal keeps its place when its status changes.
 */
export type StreamState =
  | { readonly by: 'whole' }
  | { readonly by: 'levels' }
  | { readonly by: 'instruments'; readonly list: string; readonly isMarked?: true }
  | {
      readonly by: 'newest' | 'orders' | 'ledger';
      readonly list: string;
      /** Rows of the state where the subscription has no `limit`. */
      readonly rowsMax: number;
    };
