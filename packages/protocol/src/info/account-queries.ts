import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import {
  AccountType,
  AccountTypes,
  Address,
  Dec,
  I32,
  IdStr,
  U32,
  exchangeIdsOf,
  listOf,
  refuseOtherExchange,
} from '../primitives.ts';
import { firstSet } from './paging.ts';
import type {
  AccessCodeStatus,
  ActiveAssetData,
  AgentOwner,
  ApprovedAgent,
  ApprovedBuilder,
  AssetPosition,
  ClearinghouseState,
  MultiSigSignerSet,
} from './account-answers.ts';
import type { OpenOrder, OutcomeOpenOrder, TriggerOrder } from './order-answers.ts';
import { type QueryDefinition, typeOf } from '../define.ts';

const Positions = listOf(U32, { name: 'instrumentIds', min: 0, max: LIMITS.instrumentIdsMax });

const agentOwner = z
  .object({ type: z.literal('agentOwner'), agent: Address.optional(), user: Address.optional() })
  .transform(({ type, agent, user }, context) => {
    const address = firstSet(agent, user);
    if (address !== undefined) return { type, agent: address };
    context.issues.push({ code: 'custom', path: ['agent'], input: undefined });
    return z.NEVER;
  });

const ofUser = <const Type extends string>(type: Type) =>
  z.object({ type: z.literal(type), user: Address });

const outcomeFrontendOpenOrders = z
  .object({
    type: z.literal('outcomeFrontendOpenOrders'),
    user: Address,
    instrumentIds: Positions.optional(),
    exchangeId: z.unknown().optional(),
    exchange_id: z.unknown().optional(),
  })
  .transform(({ exchangeId, exchange_id, ...query }, context) => {
    if (exchangeId === undefined && exchange_id === undefined) return query;
    const path = [exchangeId === undefined ? 'exchange_id' : 'exchangeId'];
    const params = { refusal: 'exchangeIdRefused' };
    context.issues.push({ code: 'custom', path, params, input: exchangeId ?? exchange_id });
    return z.NEVER;
  });

export const ACCOUNT_QUERIES = {
  /** Returns the positions and margin of a sub-account. */
  clearinghouseState: {
    schema: z
      .object({
        type: z.literal('clearinghouseState'),
        user: Address,
        accountType: AccountType.default('perp'),
        exchangeId: I32.nullable().optional(),
        exchange_id: I32.nullable().optional(),
      })
      .superRefine(refuseOtherExchange),
    answer: typeOf<ClearinghouseState>(),
    otherNames: { spotClearinghouseState: '' },
  },
  /** Returns the positions and margin of the perp sub-account. */
  perpClearinghouseState: {
    schema: z.object({
      type: z.literal('perpClearinghouseState'),
      user: Address,
      ...exchangeIdsOf(0),
    }),
    answer: typeOf<ClearinghouseState>(),
  },
  /** Returns an account's shares as positions: YES has a positive size, NO a negative one. */
  outcomePositions: {
    schema: z.object({
      type: z.literal('outcomePositions'),
      user: Address,
      ...exchangeIdsOf(1),
      instrumentIds: Positions.optional(),
    }),
    answer: typeOf<AssetPosition[]>(),
  },
  /** Returns a user's pending trigger orders. */
  triggerOrders: {
    schema: z.object({
      type: z.literal('triggerOrders'),
      user: Address,
      asset: IdStr.nullable().optional(),
    }),
    answer: typeOf<TriggerOrder[]>(),
  },
  /** Returns the size that a user can trade in an instrument, and the user's leverage. */
  activeAssetData: {
    schema: z.object({
      type: z.literal('activeAssetData'),
      user: Address,
      coin: IdStr,
      /** The limit prices for a buy and a sell; null means a market order. */
      px: z.tuple([Dec.nullable(), Dec.nullable()]).optional(),
    }),
    answer: typeOf<ActiveAssetData>(),
  },
  /** Returns a user's open orders, newest first. */
  frontendOpenOrders: {
    schema: z.object({
      type: z.literal('frontendOpenOrders'),
      user: Address,
      ...exchangeIdsOf(0),
      accountType: AccountTypes.default(['perp']),
      coin: IdStr.optional(),
    }),
    answer: typeOf<(OpenOrder | OutcomeOpenOrder)[]>(),
    otherNames: { openOrders: '' },
  },
  /** Returns an account's resting orders on outcome markets, excluding those in the delay queue. */
  outcomeFrontendOpenOrders: {
    schema: outcomeFrontendOpenOrders,
    answer: typeOf<OutcomeOpenOrder[]>(),
  },
  /** Returns an account's agents, sorted by label. */
  approvedAgents: {
    schema: ofUser('approvedAgents'),
    answer: typeOf<ApprovedAgent[]>(),
    otherNames: { extraAgents: '' },
  },
  /** Returns the account that an agent belongs to. */
  agentOwner: { schema: agentOwner, answer: typeOf<AgentOwner>(), otherNames: { userRole: '' } },
  /** Returns whether a channel requires an access code, and whether the user has one. */
  accessCodeStatus: {
    schema: z.object({
      type: z.literal('accessCodeStatus'),
      user: Address,
      channel: z.literal([0, 1]).default(0),
    }),
    answer: typeOf<AccessCodeStatus>(),
  },
  /** Returns the builders that an account has approved, with their maximum fees. */
  approvedBuilders: {
    schema: ofUser('approvedBuilders'),
    answer: typeOf<ApprovedBuilder[]>(),
    otherNames: { maxBuilderFee: '' },
  },
  /**
   * Returns an account's signers and the required number of signatures, or null for an ordinary
   * account.
   */
  multiSigSigners: {
    schema: ofUser('multiSigSigners'),
    answer: typeOf<MultiSigSignerSet>(),
    otherNames: { userToMultiSigSigners: '' },
  },
  /**
   * Returns the hashes of the requests that changed an account's signers, oldest first. Query `tx`
   * for each of them.
   */
  multiSigChanges: { schema: ofUser('multiSigChanges'), answer: typeOf<string[]>() },
} as const satisfies Readonly<Record<string, QueryDefinition>>;
