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
import { type QueryDefinition, typeOf } from './define-query.ts';

/** Queries on the present state of one account. */

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

/** Queries on the present state of one account. */
export const ACCOUNT_QUERIES = {
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
  },
  perpClearinghouseState: {
    schema: z.object({
      type: z.literal('perpClearinghouseState'),
      user: Address,
      ...exchangeIdsOf(0),
    }),
    answer: typeOf<ClearinghouseState>(),
  },
  outcomePositions: {
    schema: z.object({
      type: z.literal('outcomePositions'),
      user: Address,
      ...exchangeIdsOf(1),
      instrumentIds: Positions.optional(),
    }),
    answer: typeOf<AssetPosition[]>(),
  },
  triggerOrders: {
    schema: z.object({
      type: z.literal('triggerOrders'),
      user: Address,
      asset: IdStr.nullable().optional(),
    }),
    answer: typeOf<TriggerOrder[]>(),
  },
  activeAssetData: {
    schema: z.object({
      type: z.literal('activeAssetData'),
      user: Address,
      coin: IdStr,
      /** Limit prices of a buy and a sell; null is an order at the market. */
      px: z.tuple([Dec.nullable(), Dec.nullable()]).optional(),
    }),
    answer: typeOf<ActiveAssetData>(),
  },
  frontendOpenOrders: {
    schema: z.object({
      type: z.literal('frontendOpenOrders'),
      user: Address,
      ...exchangeIdsOf(0),
      accountType: AccountTypes.default(['perp']),
      coin: IdStr.optional(),
    }),
    answer: typeOf<OpenOrder[]>(),
  },
  outcomeFrontendOpenOrders: {
    schema: outcomeFrontendOpenOrders,
    answer: typeOf<OutcomeOpenOrder[]>(),
  },
  approvedAgents: { schema: ofUser('approvedAgents'), answer: typeOf<ApprovedAgent[]>() },
  agentOwner: { schema: agentOwner, answer: typeOf<AgentOwner>() },
  accessCodeStatus: {
    schema: z.object({
      type: z.literal('accessCodeStatus'),
      user: Address,
      channel: z.literal([0, 1]).default(0),
    }),
    answer: typeOf<AccessCodeStatus>(),
  },
  approvedBuilders: { schema: ofUser('approvedBuilders'), answer: typeOf<ApprovedBuilder[]>() },
  multiSigSigners: { schema: ofUser('multiSigSigners'), answer: typeOf<MultiSigSignerSet>() },
  multiSigChanges: { schema: ofUser('multiSigChanges'), answer: typeOf<string[]>() },
} as const satisfies Readonly<Record<string, QueryDefinition>>;
