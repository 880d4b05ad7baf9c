import * as z from 'zod';
import { exactlyOne } from '../actions/define-action.ts';
import { LIMITS, PAGE_LIMITS } from '../limits.ts';
import {
  AccountTypes,
  Address,
  Cloid,
  Hash,
  I32,
  IdStr,
  Ms,
  U64,
  anyCase,
  exchangeIdsOf,
} from '../primitives.ts';
import {
  MIN_HEIGHT,
  Offset,
  PAGE_CURSOR,
  TIME_SPAN,
  compact,
  firstSet,
  limitOf,
  refuseOffsetWithCursor,
} from './paging.ts';
import type { BuilderState, LedgerUpdate, UserFundings } from './account-answers.ts';
import type {
  BuilderClaim,
  BuilderClaimable,
  BuilderEarning,
  BuilderRows,
  BuilderShares,
  Portfolio,
  Withdrawal,
} from './history-answers.ts';
import type { ExecutionReport, Fill, HistOrderRow } from './order-answers.ts';
import type { FeeTierInfo, FeeTierRates } from './venue-answers.ts';
import { type QueryDefinition, typeOf } from '../define.ts';

const FundingType = anyCase(['collected', 'paid']);

const userFundings = z
  .object({
    type: z.literal('userFundings'),
    user: Address,
    accountType: AccountTypes.optional(),
    coin: z.string().optional(),
    contract: anyCase(['all', 'active']).optional(),
    startTimeMs: Ms.optional(),
    startTime: Ms.optional(),
    endTimeMs: Ms.optional(),
    endTime: Ms.optional(),
    fundingType: FundingType.optional(),
    direction: FundingType.optional(),
    limit: limitOf(PAGE_LIMITS.userFundings),
    offset: Offset,
    ...PAGE_CURSOR,
  })
  .superRefine(refuseOffsetWithCursor)
  .transform((query, context) => {
    if (query.contract !== undefined && query.coin !== undefined) {
      const params = { refusal: 'contractWithCoin' };
      context.issues.push({ code: 'custom', path: ['contract'], params, input: query.contract });
      return z.NEVER;
    }
    const { startTimeMs, startTime, endTimeMs, endTime, fundingType, direction, ...rest } = query;
    return compact({
      ...rest,
      startTime: firstSet(startTimeMs, startTime),
      endTime: firstSet(endTimeMs, endTime),
      fundingType: firstSet(fundingType, direction),
    });
  });

const PageSize = I32.refine((value) => value >= 1, { params: { refusal: 'invalidLimit' } })
  .transform((value) => Math.min(value, PAGE_LIMITS.builderMe.max))
  .default(PAGE_LIMITS.builderMe.default);

const builderPage = <const Type extends string>(type: Type) =>
  z
    .object({
      type: z.literal(type),
      user: Address,
      ...TIME_SPAN,
      page: I32.refine((value) => value >= 0, { params: { refusal: 'invalidOffset' } }).default(0),
      pageSize: PageSize,
      ...PAGE_CURSOR,
    })
    .superRefine(refuseOffsetWithCursor)
    .superRefine(({ page, pageSize }, context) => {
      if (page * pageSize + pageSize <= LIMITS.resultWindowMax) return;
      const params = { refusal: 'resultWindowTooLarge' };
      context.addIssue({ code: 'custom', path: ['page'], params });
    });

const feeTierInfo = z
  .object({
    type: z.literal('feeTierInfo'),
    ...exchangeIdsOf(0, 1),
  })
  .transform(({ type, exchange_id, exchangeId }) => ({
    type,
    exchangeId: exchange_id ?? exchangeId ?? 0,
  }));

const feeTierRates = z
  .object({
    type: z.literal('feeTierRates'),
    user: Address,
    ...exchangeIdsOf(0, 1),
  })
  .transform(({ type, user, exchange_id, exchangeId }) => ({
    type,
    user,
    exchangeId: exchange_id ?? exchangeId ?? 0,
  }));

const executionReport = z
  .object({
    type: z.literal('executionReport'),
    user: Address,
    oid: U64.optional(),
    cloid: Cloid.optional(),
    txHash: Hash.optional(),
    ...MIN_HEIGHT,
  })
  .superRefine(exactlyOne(['oid', 'cloid', 'txHash']));

export const HISTORY_QUERIES = {
  /**
   * Returns an account's fills, newest first: trades, and changes through splits, merges and
   * settlements.
   */
  userFills: {
    schema: z
      .object({
        type: z.literal('userFills'),
        user: Address,
        accountType: AccountTypes.default(['perp']),
        coin: IdStr.optional(),
        ...TIME_SPAN,
        limit: limitOf(PAGE_LIMITS.userFills),
        offset: Offset,
        ...PAGE_CURSOR,
      })
      .superRefine(refuseOffsetWithCursor),
    answer: typeOf<Fill[]>(),
    otherNames: { userFillsByTime: ' with startTime and endTime' },
  },
  /** Returns an account's open and finished orders, most recently changed first. */
  historicalOrders: {
    schema: z.object({
      type: z.literal('historicalOrders'),
      user: Address,
      accountType: AccountTypes.default(['perp']),
      coin: IdStr.optional(),
      ...TIME_SPAN,
      limit: limitOf(PAGE_LIMITS.historicalOrders),
      ...PAGE_CURSOR,
    }),
    answer: typeOf<HistOrderRow[]>(),
  },
  /**
   * Returns how an order, or each order in an action, was executed: its fills, prices and fees, and
   * its position in the queue. Select it by `oid`, `cloid` or `txHash`.
   */
  executionReport: { schema: executionReport, answer: typeOf<ExecutionReport>() },
  /** Returns all ledger updates of an account except trades and funding, newest first. */
  userNonFundingLedgerUpdates: {
    schema: z
      .object({
        type: z.literal('userNonFundingLedgerUpdates'),
        user: Address,
        accountTypes: AccountTypes.default(['perp', 'outcome']),
        ...TIME_SPAN,
        limit: limitOf(PAGE_LIMITS.userNonFundingLedgerUpdates),
        offset: Offset,
        ...PAGE_CURSOR,
      })
      .superRefine(refuseOffsetWithCursor),
    answer: typeOf<LedgerUpdate[]>(),
  },
  /** Returns an account's funding payments, newest first. */
  userFundings: {
    schema: userFundings,
    answer: typeOf<UserFundings>(),
    otherNames: { userFunding: '' },
  },
  /** Returns the fee schedule. */
  feeTierInfo: { schema: feeTierInfo, answer: typeOf<FeeTierInfo>() },
  /** Returns a user's tier in the fee schedule and the requirements of the next tier. */
  feeTierRates: {
    schema: feeTierRates,
    answer: typeOf<FeeTierRates>(),
    otherNames: { userFees: '' },
  },
  /** Returns a builder's earnings and claims, and whether it can earn fees now. */
  builderState: {
    schema: z.object({ type: z.literal('builderState'), user: Address }),
    answer: typeOf<BuilderState>(),
  },
  /** Returns a builder's claims, newest first. */
  builderMeClaimed: {
    schema: builderPage('builderMeClaimed'),
    answer: typeOf<BuilderRows<BuilderClaim>>(),
  },
  /** Returns a builder's earnings, one row per order, newest first. */
  builderMeEarned: {
    schema: builderPage('builderMeEarned'),
    answer: typeOf<BuilderRows<BuilderEarning>>(),
  },
  /** Returns each user's or instrument's share of a builder's fees, largest first. */
  builderMeShare: {
    schema: z.object({
      type: z.literal('builderMeShare'),
      user: Address,
      dimension: anyCase(['user', 'instrument']).default('user'),
      window: anyCase(['7d', '30d', '90d', 'all']).default('7d'),
      ...MIN_HEIGHT,
    }),
    answer: typeOf<BuilderShares>(),
  },
  /**
   * Returns the amount that a builder can claim, as of the latest block in the history database.
   */
  builderMeClaimable: {
    schema: z.object({
      type: z.literal('builderMeClaimable'),
      user: Address,
      ...MIN_HEIGHT,
    }),
    answer: typeOf<BuilderClaimable>(),
  },
  /** Returns an account's value over time. The last point is the present. */
  portfolio: {
    schema: z.object({
      type: z.literal('portfolio'),
      user: Address,
      window: anyCase(['day', 'week', 'month', 'all']).default('week'),
      ...MIN_HEIGHT,
    }),
    answer: typeOf<Portfolio>(),
  },
  /** Returns an account's withdrawals, newest first. */
  withdrawals: {
    schema: z.object({
      type: z.literal('withdrawals'),
      user: Address,
      before: U64.optional(),
      limit: limitOf(PAGE_LIMITS.withdrawals),
      ...MIN_HEIGHT,
    }),
    answer: typeOf<Withdrawal[]>(),
  },
} as const satisfies Readonly<Record<string, QueryDefinition>>;
