import type { MarginMode, OrderRequest, TriggerRequest } from '@oddlot/engine';
import {
  type ActionOf,
  type Details,
  isCloid,
  MESSAGES,
  OUTCOME_ID_MIN,
  refusal,
  type WireError,
  wireError,
} from '@oddlot/protocol';
import { type InstrumentId, MONEY_DECIMALS, type TimeMs } from '@oddlot/units';
import { count } from './count.ts';
import type { Instrument } from '../instruments.ts';

type Scaled = Pick<Instrument, 'szDecimals'>;
import type { ActionTranslations } from './translation.ts';

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

/** Rejects an action that mixes perps and outcome markets, because they are separate exchanges. */
function refuseMixed({ orders }: ActionOf<'order'>): WireError | undefined {
  const isOutcome = (orders[0]?.a ?? 0) >= OUTCOME_ID_MIN;
  const index = orders.findIndex((order) => order.a >= OUTCOME_ID_MIN !== isOutcome);
  const got = orders[index]?.a;
  if (got === undefined) return undefined;
  return refusal('mixedExchanges', [], { field: `orders[${index}].a`, got });
}

function refuseModify({ c }: ActionOf<'modify2'>): WireError | undefined {
  if (c === undefined || isCloid(c)) return undefined;
  return refusal('invalidCloid', [], { field: 'c', got: c });
}

function orderRequest(order: WireOrder, instrument: Scaled | undefined): OrderRequest {
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
  instrument: Scaled | undefined,
): TriggerRequest {
  const price = count(triggerPx, priceDecimalsOf(instrument));
  return {
    kind: TRIGGER_KINDS[tpsl],
    price: price.value,
    isMarket,
    ...(price.exact ? {} : { priceInexact: true as const }),
  };
}

function priceAndSize({ p, s }: { p: string; s: string }, instrument: Scaled | undefined) {
  const price = count(p, priceDecimalsOf(instrument));
  const size = count(s, instrument?.szDecimals ?? 0);
  return {
    price: price.value,
    size: size.value,
    ...(price.exact ? {} : { priceInexact: true as const }),
    ...(size.exact ? {} : { sizeInexact: true as const }),
  };
}

/**
 * Returns the price decimals of an instrument. For an unknown instrument they do not matter,
 * because the engine rejects the order before reading the price.
 */
function priceDecimalsOf(instrument: Scaled | undefined): number {
  return instrument === undefined ? 0 : MONEY_DECIMALS - instrument.szDecimals;
}

/** Rejects malformed client order ids, because no order can have such an id. */
function refuseCancels({ cancels }: ActionOf<'cancelByCloid'>): WireError | undefined {
  const index = cancels.findIndex((cancel) => !isCloid(cancel.cloid));
  const got = cancels[index]?.cloid;
  if (got === undefined) return undefined;
  return refusal('invalidCloid', [], { field: `cancels[${index}].cloid`, got });
}

/**
 * A grouped action is checked here as far as the request alone allows (R-grouping). A violation is
 * reported before any trading rule, along with the order that does not fit.
 */

type OrderAction = ActionOf<'order'>;

function refuseGrouping({ grouping, orders }: OrderAction): WireError | undefined {
  if (grouping === 'na') return undefined;
  return grouping === 'normalTpsl' ? refuseFamily(orders) : refuseOnPosition(orders);
}

const FAMILY = { min: 2, max: 3 };
const ON_POSITION = { min: 1, max: 2 };

/** Checks that a parent is followed by one or two triggers that reduce its position. */
function refuseFamily(orders: readonly WireOrder[]): WireError | undefined {
  const [parent, ...children] = orders;
  if (parent === undefined || !isWithin(orders.length, FAMILY)) return wrongCount(FAMILY);
  for (const [index, child] of children.entries()) {
    const at = index + 1;
    if (child.a !== parent.a) return otherInstrument(at, child, parent);
    if (child.b === parent.b) {
      return wrong(at, 'b', 'must be the opposite side of orders[0]');
    }
    const refused = refuseReducing(child, at);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** Checks that the orders for a position are a take-profit, a stop-loss or one of each. */
function refuseOnPosition(orders: readonly WireOrder[]): WireError | undefined {
  const [first, second] = orders;
  if (first === undefined || !isWithin(orders.length, ON_POSITION)) return wrongCount(ON_POSITION);
  for (const [index, order] of orders.entries()) {
    const refused = refuseReducing(order, index);
    if (refused !== undefined) return refused;
  }
  if (second === undefined) return undefined;
  if (second.a !== first.a) return otherInstrument(1, second, first);
  if (second.b !== first.b) return wrong(1, 'b', 'must be the same side as orders[0]');
  const kind = second.t.trigger?.tpsl;
  if (kind !== first.t.trigger?.tpsl) return undefined;
  const why = 'must differ from that of orders[0]';
  return wrong(1, 't.trigger.tpsl', why, kind === undefined ? {} : { got: kind });
}

function refuseReducing(order: WireOrder, index: number): WireError | undefined {
  if (order.t.trigger === undefined) {
    return wrong(index, 't', 'must be a trigger order', { allowed: ['trigger'] });
  }
  return order.r ? undefined : wrong(index, 'r', 'must be true');
}

function isWithin(length: number, { min, max }: { min: number; max: number }): boolean {
  return length >= min && length <= max;
}

function wrongCount({ min, max }: { min: number; max: number }): WireError {
  return wireError('BAD_REQUEST', MESSAGES.entryCount('orders', min, max), { field: 'orders' });
}

function otherInstrument(index: number, order: WireOrder, first: WireOrder): WireError {
  const why = 'must be the same instrument as orders[0]';
  return wrong(index, 'a', why, { got: order.a, allowed: [first.a] });
}

function wrong(index: number, part: string, why: string, details: Details = {}): WireError {
  const name = part.slice(part.lastIndexOf('.') + 1);
  return refusal('invalidValue', [name, why], { field: `orders[${index}].${part}`, ...details });
}

export const ORDER_ACTIONS = {
  order: {
    commands: ['placeOrders'],
    refuse: (action) => refuseMixed(action) ?? refuseGrouping(action),
    toCommand: (action, authority, instruments) => {
      const orders = action.orders.map((order) => orderRequest(order, instruments(order.a)));
      const { builder } = action;
      const grouping = GROUPINGS[action.grouping];
      return {
        type: 'placeOrders',
        authority,
        orders,
        ...(grouping === 'none' ? {} : { grouping }),
        ...(builder === undefined
          ? {}
          : { builder: { address: builder.b, feeTenthsBp: builder.f } }),
      };
    },
  },
  modify2: {
    commands: ['modifyOrder'],
    refuse: refuseModify,
    toCommand: ({ a, o, c, p, s }, authority, instruments) => ({
      type: 'modifyOrder',
      authority,
      instrumentId: a as InstrumentId,
      target: o === undefined ? { clientOrderId: c ?? '' } : { orderId: o },
      ...priceAndSize({ p, s }, instruments(a)),
    }),
  },
  cancel: {
    commands: ['cancelOrders'],
    toCommand: ({ cancels }, authority) => {
      const entries = cancels.map(({ a, o }) => ({ instrumentId: a as InstrumentId, orderId: o }));
      return { type: 'cancelOrders', authority, cancels: entries };
    },
  },
  cancelByCloid: {
    commands: ['cancelByClientId'],
    refuse: refuseCancels,
    toCommand: ({ cancels }, authority) => {
      const entries = cancels.map(({ asset, cloid }) => ({
        instrumentId: asset as InstrumentId,
        clientOrderId: cloid,
      }));
      return { type: 'cancelByClientId', authority, cancels: entries };
    },
  },
  cancelAll: {
    commands: ['cancelAll'],
    toCommand: ({ asset, accountType }, authority) => ({
      type: 'cancelAll',
      authority,
      ...(asset === undefined ? {} : { instrumentId: asset as InstrumentId }),
      ...(accountType === undefined ? {} : { subAccount: accountType }),
    }),
  },
  scheduleCancel: {
    commands: ['scheduleCancel'],
    toCommand: ({ time }, authority) => {
      const schedule = { type: 'scheduleCancel', authority } as const;
      return time === undefined ? schedule : { ...schedule, atMs: time as TimeMs };
    },
  },
} as const satisfies ActionTranslations;
