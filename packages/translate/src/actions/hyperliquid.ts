import {
  type HyperliquidAction,
  type HyperliquidType,
  type Network,
  refusal,
  type WireError,
} from '@oddlot/protocol';
import type { PlainAction } from './translation.ts';

/**
 * Converts actions of Hyperliquid's clients to actions of the venue's own API, which have the same
 * effect. The conversion is part of the log's meaning: a replay repeats it.
 */

/** Ids from here on are spot pairs and markets of other deployers at Hyperliquid. */
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
  // Uses the nonce and has no other effect.
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

/** The action of the venue with the same effect, or why there is none. */
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

/** The fields that bind an action of the venue to its network; a Hyperliquid action has others. */
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
