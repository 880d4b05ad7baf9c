import type {
  Authority,
  MarginMode,
  ModifyOrderCommand,
  OrderRequest,
  PlaceOrdersCommand,
  TriggerRequest,
} from '@oddlot/engine';
import { isCloid, OUTCOME_ID_MIN, refusal, type ActionOf, type WireError } from '@oddlot/protocol';
import { MONEY_DECIMALS, type InstrumentId, type TimeMs } from '@oddlot/units';
import { count } from './count.ts';
import type { Instrument, InstrumentLookup } from './instrument-lookup.ts';

/** Orders and amends. */

type WireOrder = ActionOf<'order'>['orders'][number];

const GROUPINGS = { na: 'none', normalTpsl: 'normal', positionTpsl: 'position' } as const;

const TIME_IN_FORCE = {
  Gtc: 'gtc',
  Gtd: 'gtd',
  Alo: 'alo',
  Ioc: 'ioc',
  FrontendMarket: 'market',
} as const;

const TRIGGER_KINDS = { tp: 'takeProfit', sl: 'stopLoss' } as const;

/** Perps and outcome markets are two exchanges; one action goes to one of them. */
export function refuseMixed({ orders }: ActionOf<'order'>): WireError | undefined {
  const isOutcome = (orders[0]?.a ?? 0) >= OUTCOME_ID_MIN;
  const index = orders.findIndex((order) => order.a >= OUTCOME_ID_MIN !== isOutcome);
  const got = orders[index]?.a;
  if (got === undefined) return undefined;
  return refusal('mixedExchanges', [], { field: `orders[${index}].a`, got });
}

export function placeOrders(
  action: ActionOf<'order'>,
  authority: Authority,
  instruments: InstrumentLookup,
): PlaceOrdersCommand {
  const orders = action.orders.map((order) => orderRequest(order, instruments(order.a)));
  const { builder } = action;
  const grouping = GROUPINGS[action.grouping];
  return {
    type: 'placeOrders',
    authority,
    orders,
    ...(grouping === 'none' ? {} : { grouping }),
    ...(builder === undefined ? {} : { builder: { address: builder.b, feeTenthsBp: builder.f } }),
  };
}

/** A client order id whose form is wrong belongs to no order. */
export function refuseModify({ c }: ActionOf<'modify2'>): WireError | undefined {
  if (c === undefined || isCloid(c)) return undefined;
  return refusal('invalidCloid', [], { field: 'c', got: c });
}

export function modifyOrder(
  { a, o, c, p, s }: ActionOf<'modify2'>,
  authority: Authority,
  instruments: InstrumentLookup,
): ModifyOrderCommand {
  return {
    type: 'modifyOrder',
    authority,
    instrumentId: a as InstrumentId,
    target: o === undefined ? { clientOrderId: c ?? '' } : { orderId: o },
    ...priceAndSize({ p, s }, instruments(a)),
  };
}

function orderRequest(order: WireOrder, instrument: Instrument | undefined): OrderRequest {
  const { limit, trigger } = order.t;
  return {
    instrumentId: order.a as InstrumentId,
    isBuy: order.b,
    ...priceAndSize(order, instrument),
    reduceOnly: order.r,
    timeInForce: TIME_IN_FORCE[limit?.tif ?? 'Gtc'],
    ...(limit?.expireTime === undefined ? {} : { expireMs: limit.expireTime as TimeMs }),
    ...(order.m === undefined ? {} : { marginMode: order.m satisfies MarginMode }),
    ...(trigger === undefined ? {} : { trigger: triggerRequest(trigger, instrument) }),
    ...(order.c === undefined ? {} : { clientOrderId: order.c }),
  };
}

function triggerRequest(
  { isMarket, triggerPx, tpsl }: NonNullable<WireOrder['t']['trigger']>,
  instrument: Instrument | undefined,
): TriggerRequest {
  const price = count(triggerPx, priceDecimalsOf(instrument));
  return {
    kind: TRIGGER_KINDS[tpsl],
    price: price.value,
    isMarket,
    ...(price.exact ? {} : { priceInexact: true as const }),
  };
}

function priceAndSize({ p, s }: { p: string; s: string }, instrument: Instrument | undefined) {
  const price = count(p, priceDecimalsOf(instrument));
  const size = count(s, instrument?.szDecimals ?? 0);
  return {
    price: price.value,
    size: size.value,
    ...(price.exact ? {} : { priceInexact: true as const }),
    ...(size.exact ? {} : { sizeInexact: true as const }),
  };
}

/** An unknown instrument has no scale; the engine refuses it before it looks at the numbers. */
function priceDecimalsOf(instrument: Instrument | undefined): number {
  return instrument === undefined ? 0 : MONEY_DECIMALS - instrument.szDecimals;
}
