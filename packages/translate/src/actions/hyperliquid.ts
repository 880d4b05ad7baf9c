import {
  type HyperliquidAction,
  type HyperliquidType,
  type Network,
  refusal,
  type WireError,
} from '@oddlot/protocol';
import type { PlainAction } from './translation.ts';

/** At Hyperliquid, ids from this one are spot pairs and perps of other deployers. */
const PERP_ID_END = 10_000;

type Context = { readonly network: Network; readonly nonce: number };

type Conversions = {
  readonly [Type in HyperliquidType]: (
    action: Extract<HyperliquidAction, { type: Type }>,
    context: Context,
  ) => PlainAction | WireError;
};

const NOT_YET = refusal('notAllowed', [], {
  field: 'type',
  why: 'modifying orders is not available yet: cancel the order and place a new one',
});

const CONVERSIONS: Conversions = {
  order: ({ orders, grouping, builder }) =>
    refuseOthers(orders.map(({ a }) => a)) ?? {
      type: 'order',
      grouping,
      orders,
      ...(builder === undefined ? {} : { builder }),
    },
  cancel: ({ cancels }) => refuseOthers(cancels.map(({ a }) => a)) ?? { type: 'cancel', cancels },
  cancelByCloid: ({ cancels }) =>
    refuseOthers(cancels.map(({ asset }) => asset)) ?? { type: 'cancelByCloid', cancels },
  modify: () => NOT_YET,
  batchModify: () => NOT_YET,
  // A cancel without entries uses the nonce and has no other effect.
  noop: () => ({ type: 'cancel', cancels: [] }),
  updateLeverage: ({ asset, isCross, leverage }) =>
    refuseOthers([asset]) ?? {
      type: 'updateLeverage',
      asset,
      leverage,
      marginMode: isCross ? 'cross' : 'isolated',
    },
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
 * Converts an action of a Hyperliquid client to the venue's own action with the same effect, or
 * returns the reason why there is none. A replay of the log repeats the conversion, so its result
 * must not change.
 */
export function fromHyperliquid(
  action: HyperliquidAction,
  context: Context,
): PlainAction | WireError {
  const convert = CONVERSIONS[action.type] as (
    action: HyperliquidAction,
    context: Context,
  ) => PlainAction | WireError;
  return convert(action, context);
}

/**
 * Returns the fields that bind a direct action to this network. Hyperliquid's actions have
 * different ones.
 */
function directFields({ network, nonce }: Context) {
  const { apiVersion, chainId, serviceNetwork } = network;
  return { serviceNetwork, chainId, apiVersion, nonce };
}

function refuseOthers(assets: readonly number[]): WireError | undefined {
  const got = assets.find((asset) => asset >= PERP_ID_END);
  if (got === undefined) return undefined;
  const why =
    `asset ${got} is not a perp: the Hyperliquid API of this venue serves perps only, whose ` +
    `asset ids are below ${PERP_ID_END}`;
  return refusal('notAllowed', [], { field: 'asset', got, why });
}
