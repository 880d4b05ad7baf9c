import * as z from 'zod';
import { exactlyOne, NonZero } from '../actions/define-action.ts';
import type { WireError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { nearestName } from '../nearest-name.ts';
import { Address, Cloid, Dec, listOf, Ms, OrderIdOrText, U32, U64 } from '../primitives.ts';
import { refusal } from '../refusal.ts';
import { toWireError } from '../to-wire-error.ts';

const Order = z.object({
  a: U32,
  b: z.boolean(),
  p: Dec,
  s: Dec,
  r: z.boolean(),
  t: z
    .object({
      limit: z.object({ tif: z.enum(['Gtc', 'Ioc', 'Alo', 'FrontendMarket']) }).optional(),
      trigger: z
        .object({ isMarket: z.boolean(), triggerPx: Dec, tpsl: z.enum(['tp', 'sl']) })
        .optional(),
    })
    .superRefine(exactlyOne(['limit', 'trigger'])),
  c: Cloid.optional(),
});

/** An order id, or a client order id of 16 bytes in hex. */
const OrderTarget = z.union([U64, z.string().regex(/^0x[0-9a-fA-F]{32}$/)]);

/**
 * The first fields of a user-signed action. `Mainnet` is accepted here and refused later, with an
 * explanation.
 */
const USER_SIGNED = {
  signatureChainId: z.string().regex(/^0x[0-9a-fA-F]{1,8}$/),
  hyperliquidChain: z.enum(['Testnet', 'Mainnet']),
};

const SCHEMAS = {
  order: z.object({
    type: z.literal('order'),
    orders: listOf(Order, { name: 'orders', min: 1, max: LIMITS.ordersMax }),
    grouping: z.enum(['na', 'normalTpsl', 'positionTpsl']),
    builder: z.object({ b: Address, f: U32 }).optional(),
  }),
  cancel: z.object({
    type: z.literal('cancel'),
    cancels: listOf(z.object({ a: U32, o: OrderIdOrText }), {
      name: 'cancels',
      min: 1,
      max: LIMITS.cancelsMax,
    }),
  }),
  cancelByCloid: z.object({
    type: z.literal('cancelByCloid'),
    cancels: listOf(z.object({ asset: U32, cloid: Cloid }), {
      name: 'cancels',
      min: 1,
      max: LIMITS.cancelsMax,
    }),
  }),
  modify: z.object({ type: z.literal('modify'), oid: OrderTarget, order: Order }),
  batchModify: z.object({
    type: z.literal('batchModify'),
    modifies: listOf(z.object({ oid: OrderTarget, order: Order }), {
      name: 'modifies',
      min: 1,
      max: LIMITS.ordersMax,
    }),
  }),
  updateLeverage: z.object({
    type: z.literal('updateLeverage'),
    asset: U32,
    isCross: z.boolean(),
    leverage: U32,
  }),
  updateIsolatedMargin: z.object({
    type: z.literal('updateIsolatedMargin'),
    asset: U32,
    isBuy: z.boolean(),
    ntli: NonZero,
  }),
  scheduleCancel: z.object({ type: z.literal('scheduleCancel'), time: Ms.optional() }),
  noop: z.object({ type: z.literal('noop') }),
  approveAgent: z.object({
    type: z.literal('approveAgent'),
    ...USER_SIGNED,
    agentAddress: Address,
    agentName: z.string().nullable().optional(),
    nonce: U64,
  }),
  approveBuilderFee: z.object({
    type: z.literal('approveBuilderFee'),
    ...USER_SIGNED,
    maxFeeRate: z.string(),
    builder: Address,
    nonce: U64,
  }),
  usdSend: z.object({
    type: z.literal('usdSend'),
    ...USER_SIGNED,
    destination: Address,
    amount: Dec,
    time: U64,
  }),
  withdraw3: z.object({
    type: z.literal('withdraw3'),
    ...USER_SIGNED,
    destination: Address,
    amount: Dec,
    time: U64,
  }),
} as const;

export type HyperliquidType = keyof typeof SCHEMAS;

export type HyperliquidAction = {
  [Type in HyperliquidType]: z.output<(typeof SCHEMAS)[Type]>;
}[HyperliquidType];

const SPOT = 'this venue has no spot markets and no spot balances';
const STAKING = 'this venue has no staking';
const SUB_ACCOUNTS = 'this venue has no sub-accounts that are created by request';
const VAULTS = 'deposits to vaults are not available through the Hyperliquid API of this venue';
const TWAP = 'this venue has no TWAP orders';
const OWN_API = 'it is only available through the API of this venue';

/** The reason each type of Hyperliquid action is not available on this venue. */
export const HYPERLIQUID_UNAVAILABLE: Readonly<Record<string, string>> = {
  spotSend: SPOT,
  usdClassTransfer: SPOT,
  sendAsset: SPOT,
  sendToEvmWithData: 'this venue has no EVM',
  evmUserModify: 'this venue has no EVM',
  spotDeploy: SPOT,
  perpDeploy: 'perps are listed by the operator of this venue',
  cDeposit: STAKING,
  cWithdraw: STAKING,
  tokenDelegate: STAKING,
  linkStakingUser: STAKING,
  createSubAccount: SUB_ACCOUNTS,
  subAccountModify: SUB_ACCOUNTS,
  subAccountTransfer: SUB_ACCOUNTS,
  subAccountSpotTransfer: SUB_ACCOUNTS,
  createVault: VAULTS,
  vaultTransfer: VAULTS,
  vaultModify: VAULTS,
  vaultDistribute: VAULTS,
  twapOrder: TWAP,
  twapCancel: TWAP,
  convertToMultiSigUser: OWN_API,
  multiSig: OWN_API,
  claimRewards: 'rewards of builders are claimed through the API of this venue',
  registerReferrer: 'this venue has no referral codes',
  reserveRequestWeight: 'the request limits of this venue cannot be raised',
  setDisplayName: 'accounts of this venue have no display names',
  agentEnableDexAbstraction: 'all perps of this venue have the same collateral',
  agentSetAbstraction: 'accounts of this venue have one mode only',
  userDexAbstraction: 'all perps of this venue have the same collateral',
  userSetAbstraction: 'accounts of this venue have one mode only',
  userPortfolioMargin: 'this venue has no portfolio margin',
  borrowLend: 'this venue has no borrowing and lending',
};

type Parsed =
  | { readonly ok: true; readonly action: HyperliquidAction }
  | { readonly ok: false; readonly error: WireError };

/** Parses an action with the schema of its type. */
export function parseHyperliquidAction(value: Readonly<Record<string, unknown>>): Parsed {
  const { type } = value;
  if (type === undefined) return fault(refusal('missingField', ['type'], { field: 'type' }));
  if (typeof type !== 'string') return fault(refusal('wrongType', ['type'], { field: 'type' }));
  if (!isHyperliquidType(type)) return fault(unavailable(type));
  const parsed = SCHEMAS[type].safeParse(value);
  return parsed.success
    ? { ok: true, action: parsed.data }
    : fault(toWireError(parsed.error.issues, value));
}

function isHyperliquidType(type: string): type is HyperliquidType {
  return Object.hasOwn(SCHEMAS, type);
}

function unavailable(type: string): WireError {
  const details = { field: 'type', got: type };
  if (Object.hasOwn(HYPERLIQUID_UNAVAILABLE, type)) {
    return refusal('notAllowed', [], {
      ...details,
      why: `${type}: ${HYPERLIQUID_UNAVAILABLE[type]}`,
    });
  }
  const allowed = Object.keys(SCHEMAS);
  const near = nearestName(type, allowed);
  const why = `unknown action ${type}${near === undefined ? '' : `; did you mean ${near}?`}`;
  return refusal('notAllowed', [], { ...details, allowed, why });
}

function fault(error: WireError): Parsed {
  return { ok: false, error };
}
