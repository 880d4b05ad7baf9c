import type { Authority, OrderRequest, PerpDefinition, SignedCommand, State } from '@oddlot/engine';
import {
  OUTCOME_ID_MIN,
  isCloid,
  refusal,
  type Action,
  type ActionOf,
  type WireError,
} from '@oddlot/protocol';
import { MONEY_DECIMALS, parseDecimal } from '@oddlot/units';
import type { InstrumentId, TimeMs } from '@oddlot/units';
import { findPerp } from './info/handler.ts';

/** From the wire's spelling to the engine's integers. Nothing is judged here: the engine does. */

/** The actions that the engine has commands for. */
export type SupportedAction = ActionOf<'order' | 'cancel' | 'cancelByCloid' | 'approveAgent'>;

type WireOrder = ActionOf<'order'>['orders'][number];

/** Finds a perp as it is listed. */
export type PerpLookup = (instrumentId: number) => PerpDefinition | undefined;

/** Looks perps up in the state as it is now. */
export function perpLookup(state: () => State): PerpLookup {
  return (instrumentId) => findPerp(state(), instrumentId);
}

export function isSupported(action: Action): action is SupportedAction {
  const { type } = action;
  return (
    type === 'order' || type === 'cancel' || type === 'cancelByCloid' || type === 'approveAgent'
  );
}

/** Parts of an action that no state could make acceptable; undefined when there are none. */
export function refuseUnsupported(action: SupportedAction): WireError | undefined {
  if (action.type === 'cancelByCloid') {
    const index = action.cancels.findIndex((cancel) => !isCloid(cancel.cloid));
    const got = action.cancels[index]?.cloid;
    if (got === undefined) return undefined;
    return refusal('invalidCloid', [], { field: `cancels[${index}].cloid`, got });
  }
  if (action.type !== 'order') return undefined;
  if (action.grouping !== 'na') return notYet('grouping', action.grouping);
  const isOutcome = (action.orders[0]?.a ?? 0) >= OUTCOME_ID_MIN;
  for (const [index, order] of action.orders.entries()) {
    const field = `orders[${index}]`;
    if (order.a >= OUTCOME_ID_MIN !== isOutcome) {
      return refusal('mixedExchanges', [], { field: `${field}.a`, got: order.a });
    }
    if (order.t.limit === undefined) return notYet(`${field}.t`);
    if (order.m === 'isolated') return notYet(`${field}.m`, order.m);
  }
  return undefined;
}

function notYet(field: string, got?: string): WireError {
  return refusal('notAllowed', [], got === undefined ? { field } : { field, got });
}

export function actionToCommand(
  action: SupportedAction,
  authority: Authority,
  perps: PerpLookup,
): SignedCommand {
  if (action.type === 'order') return placeOrders(action, authority, perps);
  if (action.type === 'cancel') {
    const cancels = action.cancels.map((cancel) => ({
      instrumentId: cancel.a as InstrumentId,
      orderId: cancel.o,
    }));
    return { type: 'cancelOrders', authority, cancels };
  }
  if (action.type === 'cancelByCloid') {
    const cancels = action.cancels.map((cancel) => ({
      instrumentId: cancel.asset as InstrumentId,
      clientOrderId: cancel.cloid,
    }));
    return { type: 'cancelByClientId', authority, cancels };
  }
  const { agentAddress: agent, agentName } = action;
  return { type: 'approveAgent', authority, agent, label: agentName ?? '' };
}

function placeOrders(
  action: ActionOf<'order'>,
  authority: Authority,
  perps: PerpLookup,
): SignedCommand {
  const orders = action.orders.map((order) => toOrderRequest(order, perps(order.a)));
  if (action.builder === undefined) return { type: 'placeOrders', authority, orders };
  const builder = { address: action.builder.b, feeTenthsBp: action.builder.f };
  return { type: 'placeOrders', authority, orders, builder };
}

const TIME_IN_FORCE = {
  Gtc: 'gtc',
  Gtd: 'gtd',
  Alo: 'alo',
  Ioc: 'ioc',
  FrontendMarket: 'market',
} as const;

function toOrderRequest(order: WireOrder, perp: PerpDefinition | undefined): OrderRequest {
  // An unknown instrument has no scale; the engine refuses it before it looks at the numbers.
  const price = count(order.p, perp === undefined ? 0 : MONEY_DECIMALS - perp.szDecimals);
  const size = count(order.s, perp === undefined ? 0 : perp.szDecimals);
  const limit = order.t.limit ?? { tif: 'Gtc' as const };
  return {
    instrumentId: order.a as InstrumentId,
    isBuy: order.b,
    price: price.value,
    size: size.value,
    reduceOnly: order.r,
    timeInForce: TIME_IN_FORCE[limit.tif],
    ...(limit.expireTime === undefined ? {} : { expireMs: limit.expireTime as TimeMs }),
    ...(order.c === undefined ? {} : { clientOrderId: order.c }),
    ...(price.exact ? {} : { priceInexact: true as const }),
    ...(size.exact ? {} : { sizeInexact: true as const }),
  };
}

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const SHORT_TEXT_MAX = 16;
const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

/** A decimal on a grid. Beyond the safe integers it saturates: every rule refuses it there. */
export function count(text: string, decimals: number): { value: number; exact: boolean } {
  const short = shortCount(text, decimals);
  if (short >= 0) return { value: short, exact: true };
  const parsed = parseDecimal(text, decimals);
  if (parsed === undefined) throw new TypeError(`not a decimal: ${text}`);
  if (parsed.floor > SAFE_MAX) return { value: Number.MAX_SAFE_INTEGER, exact: parsed.exact };
  if (parsed.floor < -SAFE_MAX) return { value: -Number.MAX_SAFE_INTEGER, exact: parsed.exact };
  return { value: Number(parsed.floor), exact: parsed.exact };
}

/**
 * The count of a short text that lies on the grid, without bigints, which would cost more than the
 * rest of the translation; -1 when it has to go the long way.
 */
function shortCount(text: string, decimals: number): number {
  if (text.length > SHORT_TEXT_MAX) return -1;
  let value = 0;
  let point = text.length - 1;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
    else if (text.charCodeAt(index) === 46 && index > 0 && point === text.length - 1) point = index;
    else return -1;
  }
  const scale = POWERS[decimals - (text.length - 1 - point)];
  if (scale === undefined) return -1;
  return Number.isSafeInteger(value * scale) ? value * scale : -1;
}
