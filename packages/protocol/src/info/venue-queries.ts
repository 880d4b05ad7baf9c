import * as z from 'zod';
import { PAGE_LIMITS } from '../limits.ts';
import { Address, Hash, PermitSignatureSchema, U64 } from '../primitives.ts';
import { compact, firstSet, limitOf, MIN_HEIGHT, PAGE_CURSOR, TIME_SPAN } from './paging.ts';
import type { BlockDetail, BlockRow, TxBrief, TxDetail } from './history-answers.ts';
import type { Reserves, ReservesProof } from './reserves-answers.ts';
import type {
  ActionStatus,
  ExplainedSignature,
  GateLists,
  PermitDeposit,
  RateLimit,
  Settings,
  SimulatedAction,
  StateHash,
  VenueHealth,
  VenueStatus,
} from './venue-answers.ts';
import { type QueryDefinition, typeOf } from '../define.ts';

const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/**
 * Builds an issue that is reported as a missing field, for queries that need one of several fields.
 */
function missing(field: string) {
  const path: PropertyKey[] = [field];
  return { code: 'custom' as const, path, input: undefined };
}

const actionStatus = z
  .object({
    type: z.literal('actionStatus'),
    txHash: Hash.optional(),
    traceId: z
      .string()
      .regex(UUID)
      .transform((text) => text.toLowerCase())
      .optional(),
    signer: Address.optional(),
    nonce: U64.optional(),
  })
  .transform(({ type, txHash, traceId, signer, nonce }, context) => {
    // If several selectors are given, the most specific one applies.
    if (txHash !== undefined) return { type, by: 'txHash' as const, txHash };
    if (traceId !== undefined) return { type, by: 'traceId' as const, traceId };
    if (signer !== undefined && nonce !== undefined) {
      return { type, by: 'nonce' as const, signer, nonce };
    }
    context.issues.push(missing(signer === undefined ? 'txHash' : 'nonce'));
    return z.NEVER;
  });

const tx = z
  .object({ type: z.literal('tx'), txHash: Hash.optional(), hash: Hash.optional(), ...MIN_HEIGHT })
  .transform(({ type, txHash, hash, minHeight }, context) => {
    const selected = firstSet(txHash, hash);
    if (selected !== undefined) return compact({ type, txHash: selected, minHeight });
    context.issues.push(missing('txHash'));
    return z.NEVER;
  });

const block = z
  .object({
    type: z.literal('block'),
    height: U64.optional(),
    hash: Hash.optional(),
    ...MIN_HEIGHT,
  })
  .transform(({ type, height, hash, minHeight }, context) => {
    // If both are given, the height applies.
    if (height !== undefined) return compact({ type, height, minHeight });
    if (hash !== undefined) return compact({ type, hash, minHeight });
    context.issues.push(missing('height'));
    return z.NEVER;
  });

const Digits = z.string().regex(/^[0-9]{1,30}$/);

export const VENUE_QUERIES = {
  /** Returns the settings of the deployment, in snake case as in the API. */
  settings: { schema: z.object({ type: z.literal('settings') }), answer: typeOf<Settings>() },
  /** Returns the remaining budgets of this client. */
  rateLimit: {
    schema: z.object({ type: z.literal('rateLimit') }),
    answer: typeOf<RateLimit>(),
    otherNames: { userRateLimit: '' },
  },
  /** Returns the operators, the access control, the venue's own funds and the age of its prices. */
  venueStatus: {
    schema: z.object({ type: z.literal('venueStatus') }),
    answer: typeOf<VenueStatus>(),
  },
  /**
   * Returns the state of the responding process: its lag, its connections, and whether it is
   * following the settlement chain.
   */
  venueHealth: {
    schema: z.object({ type: z.literal('venueHealth') }),
    answer: typeOf<VenueHealth>(),
  },
  /** Returns the accounts on a gate's lists. */
  gateLists: {
    schema: z.object({ type: z.literal('gateLists'), channel: z.literal([0, 1]).default(0) }),
    answer: typeOf<GateLists>(),
  },
  /**
   * Returns the receipt of an action, selected by `txHash`, by `traceId`, or by `signer` and
   * `nonce`.
   */
  actionStatus: {
    schema: actionStatus,
    answer: typeOf<ActionStatus>(),
    otherNames: { orderStatus: ', or historicalOrders' },
  },
  /**
   * Returns the signer of a request. If the signer is unknown, the response includes the mistake
   * that explains the signature. The request is not executed.
   */
  explainSignature: {
    schema: z.object({
      type: z.literal('explainSignature'),
      envelope: z.looseObject({}),
      expect: Address.optional(),
    }),
    answer: typeOf<ExplainedSignature>(),
  },
  /**
   * Returns the effects that an action would have now: fills, fees, margin and positions, or the
   * refusal. The action does not need a signature and is not executed.
   */
  simulate: {
    schema: z.object({
      type: z.literal('simulate'),
      user: Address,
      action: z.looseObject({}),
      vaultAddress: Address.nullable().optional(),
    }),
    answer: typeOf<SimulatedAction>(),
  },
  /** Returns the newest blocks, or those before a height. */
  blocks: {
    schema: z.object({
      type: z.literal('blocks'),
      before: U64.optional(),
      limit: limitOf(PAGE_LIMITS.blocks),
      ...MIN_HEIGHT,
    }),
    answer: typeOf<BlockRow[]>(),
  },
  /** Returns a block by height or hash, with its transactions. */
  block: { schema: block, answer: typeOf<BlockDetail>() },
  /** Returns a transaction by its hash: the request as received, and its result. */
  tx: { schema: tx, answer: typeOf<TxDetail>() },
  /**
   * Returns summaries of transactions: those in a block, in order, or the newest ones of one
   * account or all accounts.
   */
  txs: {
    schema: z
      .object({
        type: z.literal('txs'),
        height: U64.optional(),
        user: Address.optional(),
        limit: limitOf(PAGE_LIMITS.txs),
        ...TIME_SPAN,
        ...PAGE_CURSOR,
      })
      .superRefine(({ cursor, endTime, startTime, user }, context) => {
        // Only queries for one account's transactions have pages and a period.
        const isPaged = typeof cursor === 'string' || (startTime ?? endTime) !== undefined;
        if (isPaged && user === undefined) context.addIssue(missing('user'));
      }),
    answer: typeOf<TxBrief[]>(),
  },
  /** Returns the hash of the whole state after a block; by default, after the latest one. */
  stateHash: {
    schema: z.object({ type: z.literal('stateHash'), height: U64.optional(), ...MIN_HEIGHT }),
    answer: typeOf<StateHash>(),
  },
  /**
   * Deposits USDC from the settlement chain using a signed permit, so the user does not need ether.
   * Sending the same permit again returns the same transaction.
   */
  depositWithPermit: {
    schema: z.object({
      type: z.literal('depositWithPermit'),
      user: Address,
      usd: Digits,
      deadline: Digits,
      signature: PermitSignatureSchema,
      waitForReceipt: z.boolean().default(true),
    }),
    answer: typeOf<PermitDeposit>(),
  },
  /**
   * Returns the venue's liabilities and the bridge's assets, both as last published and as of now.
   */
  reserves: { schema: z.object({ type: z.literal('reserves') }), answer: typeOf<Reserves>() },
  /**
   * Returns proof that the last publication includes an address, or null if the address had no
   * account at that time. Check the proof with `oddlot verify reserves`.
   */
  reservesProof: {
    schema: z.object({ type: z.literal('reservesProof'), user: Address }),
    answer: typeOf<ReservesProof | null>(),
  },
} as const satisfies Readonly<Record<string, QueryDefinition>>;
