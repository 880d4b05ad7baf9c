import type * as z from 'zod';

/** A placeholder that carries a type in a definition without a value of that type. */
type TypeOf<Type> = { readonly type?: Type };

/** Returns the placeholder for a type in a definition. */
export function typeOf<Type>(): TypeOf<Type> {
  return {};
}

/** The type that a placeholder carries. */
export type NamedType<Stand> = Stand extends TypeOf<infer Type> ? Type : never;

/**
 * The definition of a query of /info. The SDK has a method of the same name with the comment of the
 * definition.
 */
export type QueryDefinition = {
  readonly schema: z.ZodType;
  /** The type of `data` in the response. */
  readonly answer: TypeOf<unknown>;
  /**
   * The names of the query on other venues of the family, with the hint that a refusal adds to the
   * name of this query.
   */
  readonly otherNames?: Readonly<Record<string, string>>;
};

/**
 * The definition of a channel of a socket. The SDK has a method of the same name with the comment
 * of the definition.
 */
export type ChannelDefinition = {
  readonly schema: z.ZodType;
  /** The type of `data` in the channel's frames. */
  readonly data: TypeOf<unknown>;
  /**
   * Set for channels that report facts: each frame contains the height of its block, and a client
   * can resume after a block in any replica of the venue. All other channels report a state, of
   * which only the newest frame matters.
   */
  readonly isFact?: true;
  /**
   * The rule by which a client builds the state of a stream from its frames. It is absent if a late
   * subscriber needs no state.
   */
  readonly state?: StreamState;
};

/**
 * The rule by which a frame changes the state of a stream. `list` is the name of the field with the
 * rows.
 * - `whole`: each frame is the complete state.
 * - `levels`: the frame has the changed levels of a book.
 * - `instruments`: the frame has the changed rows, one for each instrument.
 * - `newest`: the frame has new rows, oldest first; the state keeps the newest rows, newest first.
 * - `orders`: like `newest`, but a row replaces the row of the same order.
 * - `ledger`: like `newest`, but a withdrawal keeps its position when its status changes.
 */
export type StreamState =
  | { readonly by: 'whole' }
  | { readonly by: 'levels' }
  | { readonly by: 'instruments'; readonly list: string; readonly isMarked?: true }
  | {
      readonly by: 'newest' | 'orders' | 'ledger';
      readonly list: string;
      /** The number of rows in the state if the subscription has no `limit`. */
      readonly rowsMax: number;
    };
