import { orderShape, type ActionInputOf, type ActionOf } from '@oddlot/protocol';
import type { ReplyOf } from './reply.ts';
import { sendAction, type ActionOptions, type ExchangeContext } from './send-action.ts';

type ParsedOrder = ActionOf<'order'>['orders'][number];

/** A limit order or a trigger order. */
export type OrderKind =
  | { readonly limit: NonNullable<ParsedOrder['t']['limit']> }
  | { readonly trigger: NonNullable<ParsedOrder['t']['trigger']> };

/**
 * One order, spelled as on the wire: `a` instrument id, `b` is a buy, `p` price, `s` size, `r`
 * reduce-only, `t` kind, `m` margin mode, `c` client order id. Prices and sizes are decimal texts.
 */
export type OrderEntry = Omit<ParsedOrder, 't'> & { readonly t: OrderKind };

/** What `order` takes. */
export type OrderParameters = {
  /** At most 50. */
  readonly orders: readonly OrderEntry[];
  /** How the orders belong together; independent of each other by default. */
  readonly grouping?: ActionOf<'order'>['grouping'];
  /** A front end's fee: `f` in tenths of a basis point, for `b`. */
  readonly builder?: { readonly b: string; readonly f: number };
};

/**
 * Places orders. With `confirm: 'executed'` the reply tells what became of each; one that was
 * refused at its execution is in `orders` as `rejected`, it is not thrown.
 *
 * @throws ValidationError, SigningError, HttpError, ApiError
 */
export function order<Confirm extends 'executed' | undefined = undefined>(
  context: ExchangeContext,
  { orders, grouping = 'na', builder }: OrderParameters,
  options?: ActionOptions<Confirm>,
): Promise<ReplyOf<Confirm>> {
  const action: ActionInputOf<'order'> = {
    type: 'order',
    grouping,
    orders: [...orders],
    builder: builder === undefined ? undefined : { b: builder.b.toLowerCase(), f: builder.f },
  };
  return sendAction(context, orderShape, () => action, options);
}
