import * as z from 'zod';
import { LIMITS, OUTCOME_ID_MIN } from '../limits.ts';
import {
  AccountType,
  Address,
  anyCase,
  Cloid,
  Dec,
  I32,
  listOf,
  Ms,
  OrderIdOrText,
  SignatureSchema,
  U32,
} from '../primitives.ts';
import { VENUE_ADMIN_VARIANTS } from './admin-variants.ts';
import {
  type ActionDefinition,
  DIRECT_HEAD,
  DIRECT_NONCE,
  exactlyOne,
  NonZero,
  variantsOf,
} from './define-action.ts';
import {
  Cancel,
  CancelByCloid,
  Grouping,
  MarginMode,
  Order,
  OutcomeOperation,
} from './order-parts.ts';
import { OUTCOME_DEPLOY_VARIANTS } from './outcome-listings.ts';

/**
 * Defines every action type for /exchange. The parsed types, the clients' shapes and direct action
 * structs (`npm run write-shapes`), and the order of names in responses are derived from these
 * definitions.
 */
export const ACTIONS = {
  /** Places up to 50 orders. */
  order: {
    internalName: 'PlaceOrder',
    signedBy: 'agent',
    trades: true,
    schema: z.object({
      type: z.literal('order'),
      grouping: Grouping,
      orders: listOf(Order, { name: 'orders', min: 1, max: LIMITS.ordersMax }),
      builder: z.object({ b: Address, f: U32 }).optional(),
    }),
  },
  /** Cancels orders by order id. */
  cancel: {
    internalName: 'CancelOrder',
    signedBy: 'agent',
    schema: z.object({
      type: z.literal('cancel'),
      cancels: listOf(Cancel, { name: 'cancels', min: 1, max: LIMITS.cancelsMax }),
    }),
  },
  /** Cancels orders by client order id. */
  cancelByCloid: {
    internalName: 'CancelOrder',
    signedBy: 'agent',
    schema: z.object({
      type: z.literal('cancelByCloid'),
      cancels: listOf(CancelByCloid, { name: 'cancels', min: 1, max: LIMITS.cancelsMax }),
    }),
  },
  /**
   * Amends the price and the total size of a resting order, selected by order id or client order
   * id.
   */
  modify2: {
    internalName: 'ModifyOrder',
    signedBy: 'agent',
    trades: true,
    schema: z
      .object({
        type: z.literal('modify2'),
        a: U32,
        o: OrderIdOrText.optional(),
        c: Cloid.optional(),
        p: Dec,
        s: Dec,
      })
      .superRefine(exactlyOne(['o', 'c'])),
  },
  /** Switches the whole account between one-way and hedge mode. */
  updatePositionMode: {
    internalName: 'UpdatePositionMode',
    signedBy: 'agent',
    schema: z.object({
      type: z.literal('updatePositionMode'),
      positionMode: anyCase(['oneWay', 'hedge']),
    }),
  },
  /**
   * Adds margin to an isolated position, or removes it if `ntli` is negative. `ntli` is in
   * micro-USDC.
   */
  updateIsolatedMargin: {
    internalName: 'UpdateIsolatedMargin',
    signedBy: 'agent',
    schema: z.object({
      type: z.literal('updateIsolatedMargin'),
      asset: U32,
      isBuy: z.boolean(),
      ntli: NonZero,
    }),
  },
  /**
   * Sets the leverage of one instrument. For isolated margin in hedge mode, the sign selects the
   * position side.
   */
  updateLeverage: {
    internalName: 'UpdateLeverage',
    signedBy: 'agent',
    schema: z.object({
      type: z.literal('updateLeverage'),
      asset: U32,
      leverage: I32,
      marginMode: MarginMode.optional(),
    }),
  },
  /** Switches one instrument between cross and isolated margin. */
  updateMarginMode: {
    internalName: 'UpdateMarginMode',
    signedBy: 'agent',
    schema: z.object({ type: z.literal('updateMarginMode'), asset: U32, isCross: z.boolean() }),
  },
  /** Claims the acting builder's entire unclaimed balance. */
  claimBuilderRewards: {
    internalName: 'ClaimBuilderRewards',
    signedBy: 'agent',
    schema: z.object({ type: z.literal('claimBuilderRewards') }),
  },
  /** Splits collateral into pairs of YES and NO shares, or merges pairs back into collateral. */
  outcomeOperate: {
    internalName: 'OutcomeOperate',
    signedBy: 'agent',
    trades: true,
    schema: z
      .object({
        type: z.literal('outcomeOperate'),
        split: listOf(OutcomeOperation, {
          name: 'split',
          min: 1,
          max: LIMITS.outcomeOperationsMax,
        }).optional(),
        merge: listOf(OutcomeOperation, {
          name: 'merge',
          min: 1,
          max: LIMITS.outcomeOperationsMax,
        }).optional(),
        // This name is reserved for a later operation. It is rejected now, so no client can depend
        // on it being ignored.
        convert: z.never().optional(),
      })
      .superRefine(exactlyOne(['split', 'merge'])),
  },
  /** Approves an agent under a label, or revokes the label if the address is zero. */
  approveAgent: {
    internalName: 'ApproveAgent',
    signedBy: 'direct',
    schema: z.object({
      type: z.literal('approveAgent'),
      ...DIRECT_HEAD,
      agentAddress: Address,
      agentName: z.string().nullable().optional(),
      ...DIRECT_NONCE,
    }),
  },
  /** Approves a builder up to a fee rate, or changes the rate. */
  approveBuilderFee: {
    internalName: 'ApproveBuilderFee',
    signedBy: 'direct',
    schema: z.object({
      type: z.literal('approveBuilderFee'),
      ...DIRECT_HEAD,
      builder: Address,
      maxFeeRate: z.string(),
      ...DIRECT_NONCE,
    }),
  },
  /** Removes a builder's approval. */
  revokeBuilderFee: {
    internalName: 'RevokeBuilderFee',
    signedBy: 'direct',
    schema: z.object({
      type: z.literal('revokeBuilderFee'),
      ...DIRECT_HEAD,
      builder: Address,
      ...DIRECT_NONCE,
    }),
  },
  /**
   * Moves money between sub-accounts, to another user or to a relay withdrawal address. Token 0 is
   * USDC.
   */
  tokenSend: {
    internalName: 'TokenSend',
    signedBy: 'direct',
    schema: z.object({
      type: z.literal('tokenSend'),
      ...DIRECT_HEAD,
      destination: Address,
      token: U32,
      amount: Dec,
      fromAccountType: AccountType,
      toAccountType: AccountType,
      ...DIRECT_NONCE,
    }),
  },
  /** Withdraws USDC to the settlement chain. */
  withdraw3: {
    internalName: 'Withdraw',
    signedBy: 'direct',
    schema: z.object({
      type: z.literal('withdraw3'),
      ...DIRECT_HEAD,
      destination: Address,
      amount: Dec,
      ...DIRECT_NONCE,
    }),
  },
  /**
   * Gives an account a set of signers, replaces the set, or turns the account back into an ordinary
   * one.
   */
  convertToMultiSigUser: {
    internalName: 'ConvertToMultiSigUser',
    signedBy: 'direct',
    schema: z.object({
      type: z.literal('convertToMultiSigUser'),
      ...DIRECT_HEAD,
      signers: z.string(),
      ...DIRECT_NONCE,
    }),
  },
  /** Wraps another action with signatures from a multi-sig account's signers. */
  multiSig: {
    // Replies give the name of the inner action; this name is used only if the inner action is
    // unknown.
    internalName: 'MultiSig',
    signedBy: 'multiSig',
    schema: z.object({
      type: z.literal('multiSig'),
      signatures: listOf(SignatureSchema, {
        name: 'signatures',
        min: 1,
        max: LIMITS.multiSigSignersMax,
      }),
      payload: z.object({
        multiSigUser: Address,
        outerSigner: Address,
        // The inner action is parsed in a second step, with the definition of its type.
        action: z.looseObject({}),
      }),
    }),
  },
  /** Registers, trades, prices and resolves outcome markets. */
  outcomeDeploy: {
    internalName: 'OutcomeDeploy',
    signedBy: 'permissioned',
    schema: variantsOf('outcomeDeploy', OUTCOME_DEPLOY_VARIANTS),
  },
  /**
   * Manages the venue: perps, oracle prices, access control, vaults, treasury, operators and fee
   * tiers.
   */
  venueAdmin: {
    internalName: 'VenueAdmin',
    signedBy: 'permissioned',
    schema: variantsOf('venueAdmin', VENUE_ADMIN_VARIANTS),
  },
  /**
   * As a dead man's switch, schedules the cancellation of the account's orders unless the client
   * postpones or removes it.
   */
  scheduleCancel: {
    internalName: 'ScheduleCancel',
    signedBy: 'agent',
    schema: z.object({ type: z.literal('scheduleCancel'), time: Ms.optional() }),
  },
  /** Cancels all orders, or all orders in one instrument or one sub-account. */
  cancelAll: {
    internalName: 'CancelAll',
    signedBy: 'agent',
    schema: z
      .object({
        type: z.literal('cancelAll'),
        asset: U32.optional(),
        accountType: AccountType.optional(),
      })
      .superRefine(({ asset, accountType }, context) => {
        if (asset === undefined || accountType === undefined) return;
        // The instrument alone determines the sub-account, so a request with a different account
        // type is malformed.
        const owner = asset < OUTCOME_ID_MIN ? 'perp' : 'outcome';
        if (owner !== accountType) {
          context.addIssue({ code: 'custom', path: ['accountType'], params: { allowed: [owner] } });
        }
      }),
  },
  /** Closes a perp position and opens one of the same size on the other side. */
  reversePosition: {
    internalName: 'ReversePosition',
    signedBy: 'agent',
    trades: true,
    schema: z.object({
      type: z.literal('reversePosition'),
      asset: U32,
      isBuy: z.boolean().optional(),
    }),
  },
} as const satisfies Readonly<Record<string, ActionDefinition>>;

export type ActionType = keyof typeof ACTIONS;

/** A parsed action of one type, with enums in their exact case and addresses in lower case. */
export type ActionOf<Type extends ActionType> = Type extends 'multiSig'
  ? MultiSigAction
  : z.output<(typeof ACTIONS)[Type]['schema']>;

/** An action of one type in the form that a client may send. */
export type ActionInputOf<Type extends ActionType> = z.input<(typeof ACTIONS)[Type]['schema']>;

/**
 * The types of actions allowed in a multiSig wrapper: all user actions, but not another wrapper or
 * an operator action.
 */
export type InnerActionType = Exclude<ActionType, 'multiSig' | 'outcomeDeploy' | 'venueAdmin'>;

export type InnerAction = { [Type in InnerActionType]: ActionOf<Type> }[InnerActionType];

type MultiSigOutput = z.output<(typeof ACTIONS)['multiSig']['schema']>;

/** A parsed multiSig wrapper with its parsed inner action. */
export type MultiSigAction = Omit<MultiSigOutput, 'payload'> & {
  payload: Omit<MultiSigOutput['payload'], 'action'> & { action: InnerAction };
};

export type Action = { [Type in ActionType]: ActionOf<Type> }[ActionType];

/** An action of any type in the form that a client may send. */
export type ActionInput = { [Type in ActionType]: ActionInputOf<Type> }[ActionType];

/** Returns the definition of an action type, or undefined for an unknown type. */
export function actionDefinition(type: string): ActionDefinition | undefined {
  return Object.hasOwn(ACTIONS, type) ? ACTIONS[type as ActionType] : undefined;
}

/** Returns true for the types allowed in a multiSig wrapper. */
export function isInnerActionType(type: string): type is InnerActionType {
  const definition = actionDefinition(type);
  return definition?.signedBy === 'agent' || definition?.signedBy === 'direct';
}
