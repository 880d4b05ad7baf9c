import * as z from 'zod';
import { PAGE_LIMITS } from '../limits.ts';
import { Address, Hash, PermitSignatureSchema, U64 } from '../primitives.ts';
import { compact, firstSet, limitOf, MIN_HEIGHT, PAGE_CURSOR, TIME_SPAN } from './paging.ts';

/** Queries on the venue itself: settings, receipts, blocks, tools, and the permit deposit. */

const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** An issue that reads as a missing field, for queries that need one of several. */
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
    // The most specific name that is given counts.
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
    const wanted = firstSet(txHash, hash);
    if (wanted !== undefined) return compact({ type, txHash: wanted, minHeight });
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
    // The height counts when both are given.
    if (height !== undefined) return compact({ type, height, minHeight });
    if (hash !== undefined) return compact({ type, hash, minHeight });
    context.issues.push(missing('height'));
    return z.NEVER;
  });

const Digits = z.string().regex(/^[0-9]{1,30}$/);

/** Queries on the venue, and the tools that run on it. */
export const VENUE_QUERIES = {
  settings: z.object({ type: z.literal('settings') }),
  rateLimit: z.object({ type: z.literal('rateLimit') }),
  venueStatus: z.object({ type: z.literal('venueStatus') }),
  venueHealth: z.object({ type: z.literal('venueHealth') }),
  gateLists: z.object({ type: z.literal('gateLists'), channel: z.literal([0, 1]).default(0) }),
  actionStatus,
  explainSignature: z.object({
    type: z.literal('explainSignature'),
    envelope: z.looseObject({}),
    expect: Address.optional(),
  }),
  simulate: z.object({
    type: z.literal('simulate'),
    user: Address,
    action: z.looseObject({}),
    vaultAddress: Address.nullable().optional(),
  }),
  blocks: z.object({
    type: z.literal('blocks'),
    before: U64.optional(),
    limit: limitOf(PAGE_LIMITS.blocks),
    ...MIN_HEIGHT,
  }),
  block,
  tx,
  txs: z
    .object({
      type: z.literal('txs'),
      height: U64.optional(),
      user: Address.optional(),
      limit: limitOf(PAGE_LIMITS.txs),
      ...TIME_SPAN,
      ...PAGE_CURSOR,
    })
    .superRefine(({ cursor, endTime, startTime, user }, context) => {
      // Only the requests of one account have pages and a span of time.
      const isPaged = typeof cursor === 'string' || (startTime ?? endTime) !== undefined;
      if (isPaged && user === undefined) context.addIssue(missing('user'));
    }),
  stateHash: z.object({ type: z.literal('stateHash'), height: U64.optional(), ...MIN_HEIGHT }),
  depositWithPermit: z.object({
    type: z.literal('depositWithPermit'),
    user: Address,
    usd: Digits,
    deadline: Digits,
    signature: PermitSignatureSchema,
    waitForReceipt: z.boolean().default(true),
  }),
  reserves: z.object({ type: z.literal('reserves') }),
  reservesProof: z.object({ type: z.literal('reservesProof'), user: Address }),
} as const;
