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
 * The definition of an /info query. The SDK has a method of the same name with the same comment.
 */
export type QueryDefinition = {
  readonly schema: z.ZodType;
  /** The type of `data` in the response. */
  readonly answer: TypeOf<unknown>;
  /**
   * The query's names on similar venues, each with the hint that a refusal adds to this query's
   * name.
   */
  readonly otherNames?: Readonly<Record<string, string>>;
};

/**
 * The definition of a socket channel. The SDK has a method of the same name with the same comment.
 */
export type ChannelDefinition = {
  readonly schema: z.ZodType;
  /** The type of `data` in the channel's frames. */
  readonly data: TypeOf<unknown>;
  /**
   * Set for channels that report facts: each frame includes its block's height, and a client can
   * resume after a given block on any of the venue's replicas. All other channels report a state,
   * of which only the newest frame matters.
   */
  readonly isFact?: true;
  /**
   * The rule by which a client builds a stream's state from its frames. Absent if a late subscriber
   * does not need any state.
   */
  readonly state?: StreamState;
};

/**
 * The rule by which a frame changes a stream's state. `list` is the name of the field with the
 * rows.
 * - `whole`: each frame is the complete state.
 * - `levels`: the frame has the levels of a book that changed.
 * - `instruments`: the frame has the rows that changed, one per instrument.
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
      /** The number of rows in the state if the subscription does not set a `limit`. */
      readonly rowsMax: number;
    };
