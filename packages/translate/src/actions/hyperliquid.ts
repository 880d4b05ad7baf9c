import type { Authority, OrderTarget } from '@oddlot/engine';
import {
  type ActionOf,
  type HyperliquidAction,
  type HyperliquidType,
  type Network,
  refusal,
  type WireError,
} from '@oddlot/protocol';
import type { RequestCommand } from '@oddlot/replica/block';
import type { InstrumentId } from '@oddlot/units';
import type { ScaleLookup } from '../instruments.ts';
import { ORDER_ACTIONS } from './orders.ts';
import type { PlainAction } from './translation.ts';

/** On Hyperliquid, this id and all higher ones are spot pairs or other deployers' perps. */
const PERP_ID_END = 10_000;

/** Hyperliquid actions that the venue's own API does not have. */
type HyperliquidOnlyAction =
  | {
      readonly type: 'independentOrders';
      readonly orders: ActionOf<'order'>['orders'];
      readonly builder?: ActionOf<'order'>['builder'];
    }
  | {
      readonly type: 'replaceOrders';
      readonly orders: ActionOf<'order'>['orders'];
      readonly replaces: readonly OrderTarget[];
    }
  | {
      readonly type: 'setLeverageAndMode';
      readonly asset: number;
      readonly isCross: boolean;
      readonly leverage: number;
    };

export type ConvertedAction = PlainAction | HyperliquidOnlyAction;

type Context = { readonly network: Network; readonly nonce: number };

type Conversions = {
  readonly [Type in HyperliquidType]: (
    action: Extract<HyperliquidAction, { type: Type }>,
    context: Context,
  ) => ConvertedAction | WireError;
};

const CONVERSIONS: Conversions = {
  order: ({ orders, grouping, builder }) => {
    const placed = { orders, ...(builder === undefined ? {} : { builder }) };
    return (
      refuseOthers(orders.map(({ a }) => a)) ??
      (grouping === 'na'
        ? { type: 'independentOrders', ...placed }
        : { type: 'order', grouping, ...placed })
    );
  },
  cancel: ({ cancels }) => refuseOthers(cancels.map(({ a }) => a)) ?? { type: 'cancel', cancels },
  cancelByCloid: ({ cancels }) =>
    refuseOthers(cancels.map(({ asset }) => asset)) ?? { type: 'cancelByCloid', cancels },
  modify: ({ oid, order }) => replacement([{ oid, order }]),
  batchModify: ({ modifies }) => replacement(modifies),
  // A cancel without entries consumes the nonce and has no other effect.
  noop: () => ({ type: 'cancel', cancels: [] }),
  updateLeverage: ({ asset, isCross, leverage }) =>
    refuseOthers([asset]) ?? { type: 'setLeverageAndMode', asset, isCross, leverage },
  updateIsolatedMargin: ({ asset, isBuy, ntli }) =>
    refuseOthers([asset]) ?? { type: 'updateIsolatedMargin', asset, isBuy, ntli },
  scheduleCancel: ({ time }) =>
    time === undefined ? { type: 'scheduleCancel' } : { type: 'scheduleCancel', time },
  approveAgent: ({ agentAddress, agentName }, context) => ({
    type: 'approveAgent',
    ...directFields(context),
    agentAddress,
    agentName,
  }),
  approveBuilderFee: ({ builder, maxFeeRate }, context) => ({
    type: 'approveBuilderFee',
    ...directFields(context),
    builder,
    maxFeeRate,
  }),
  usdSend: ({ amount, destination }, context) => ({
    type: 'tokenSend',
    ...directFields(context),
    destination,
    token: USDC,
    amount,
    fromAccountType: 'perp',
    toAccountType: 'perp',
  }),
  withdraw3: ({ amount, destination }, context) => ({
    type: 'withdraw3',
    ...directFields(context),
    destination,
    amount,
  }),
};

const USDC = 0;

/**
 * Converts a Hyperliquid client's action to a venue action with the same effect, or returns the
 * reason there is none. A replay of the log repeats the conversion, so its result must never
 * change.
 */
export function fromHyperliquid(
  action: HyperliquidAction,
  context: Context,
): ConvertedAction | WireError {
  const convert = CONVERSIONS[action.type] as (
    action: HyperliquidAction,
    context: Context,
  ) => ConvertedAction | WireError;
  return convert(action, context);
}

/**
 * Returns the fields that bind a direct action to this network. The fields of Hyperliquid's actions
 * are different.
 */
function directFields({ network, nonce }: Context) {
  const { apiVersion, chainId, serviceNetwork } = network;
  return { serviceNetwork, chainId, apiVersion, nonce };
}

/** Converts a modification, which on Hyperliquid cancels the order and places a new one. */
function replacement(
  modifies: readonly { readonly oid: number | string; readonly order: WireOrder }[],
): HyperliquidOnlyAction | WireError {
  const orders = modifies.map(({ order }) => order);
  const replaces = modifies.map(({ oid }) =>
    typeof oid === 'number' ? { orderId: oid } : { clientOrderId: oid },
  );
  return refuseOthers(orders.map(({ a }) => a)) ?? { type: 'replaceOrders', orders, replaces };
}

type WireOrder = ActionOf<'order'>['orders'][number];

export function isHyperliquidOnly(action: ConvertedAction): action is HyperliquidOnlyAction {
  switch (action.type) {
    case 'independentOrders':
    case 'replaceOrders':
    case 'setLeverageAndMode':
      return true;
    default:
      return false;
  }
}

export function hyperliquidCommand(
  action: HyperliquidOnlyAction,
  authority: Authority,
  instruments: ScaleLookup,
): RequestCommand {
  if (action.type === 'independentOrders') {
    const order = { ...action, type: 'order', grouping: 'na' } as const;
    const command = ORDER_ACTIONS.order.toCommand(order, authority, instruments);
    return { ...command, areIndependent: true };
  }
  if (action.type === 'replaceOrders') {
    const { orders, replaces } = action;
    const order = { type: 'order', grouping: 'na', orders } as const;
    return { ...ORDER_ACTIONS.order.toCommand(order, authority, instruments), replaces };
  }
  const { asset, isCross, leverage } = action;
  return {
    type: 'updateLeverage',
    authority,
    instrumentId: asset as InstrumentId,
    leverage,
    marginMode: isCross ? 'cross' : 'isolated',
    switchesMode: true,
  };
}

function refuseOthers(assets: readonly number[]): WireError | undefined {
  const got = assets.find((asset) => asset >= PERP_ID_END);
  if (got === undefined) return undefined;
  const why =
    `asset ${got} is not a perp: the Hyperliquid API of this venue serves perps only, whose ` +
    `asset ids are below ${PERP_ID_END}`;
  return refusal('notAllowed', [], { field: 'asset', got, why });
}
