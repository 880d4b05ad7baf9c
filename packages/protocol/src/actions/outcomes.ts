import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { anyCase, Dec, listOf, Ms, U32 } from '../primitives.ts';
import { defineAction, exactlyOne } from './define-action.ts';

const Operation = z.object({ asset: U32, sz: Dec });
const max = LIMITS.outcomeOperationsMax;

/** Splits collateral into pairs of YES and NO shares, or merges pairs back. */
export const outcomeOperate = defineAction({
  type: 'outcomeOperate',
  internalName: 'OutcomeOperate',
  signedBy: 'agent',
  schema: z
    .object({
      type: z.literal('outcomeOperate'),
      split: listOf(Operation, { name: 'split', min: 1, max }).optional(),
      merge: listOf(Operation, { name: 'merge', min: 1, max }).optional(),
      // Reserved for a later operation; refused now, so that nobody relies on it being ignored.
      convert: z.never().optional(),
    })
    .superRefine(exactlyOne(['split', 'merge'])),
});

/** Operator actions on outcome markets. Unknown keys are refused: a typo must not go unnoticed. */

const Slug = z.string().regex(/^[a-z0-9-]{1,120}$/);
const Title = z.string().max(300);
const Description = z.string().max(5000);
const Tags = listOf(z.string(), { name: 'tags', min: 0, max: 20 });
const Image = z.string().nullable();
const SizeDecimals = z.int().min(0).max(4);
const OrderDelayMs = z.int().min(0).max(10_000);

const RegisterEvent = z.strictObject({
  slug: Slug,
  title: Title,
  description: Description,
  category: z.string(),
  tags: Tags,
  image: Image,
  icon: Image,
  mutuallyExclusive: z.boolean(),
  startTime: Ms,
  endTime: Ms,
  eventId: U32.optional(),
});

const Underlying = z.strictObject({
  symbol: z.string(),
  source: anyCase(['spot', 'oracle', 'twap']),
  priceToBeat: Dec.nullable(),
});

const RegisterMarket = z.strictObject({
  eventSlug: Slug,
  slug: Slug,
  question: Title,
  groupTitle: z.string().nullable(),
  description: Description,
  resolutionSource: z.string(),
  outcomes: z.tuple([z.string(), z.string()]),
  startTime: Ms,
  endTime: Ms,
  priceTick: Dec,
  sizeDecimals: SizeDecimals,
  minOrderSize: Dec,
  maxOrderSize: Dec,
  takerFeeRate: Dec,
  orderDelayMs: OrderDelayMs,
  underlying: Underlying.nullable(),
  instrumentId: U32.optional(),
});

const RegisterSeries = z.strictObject({
  slug: Slug,
  title: Title,
  symbol: z.string(),
  recurrence: anyCase(['15m', '1h', '4h', '1d']),
  source: anyCase(['spot', 'oracle']),
  category: z.string(),
  tags: Tags,
  image: Image,
  icon: Image,
  firstStartTime: Ms,
  listAhead: z.int().min(1).max(20),
  priceTick: Dec,
  sizeDecimals: SizeDecimals,
  minOrderSize: Dec,
  maxOrderSize: Dec,
  takerFeeRate: Dec,
  orderDelayMs: OrderDelayMs,
  enabled: z.boolean(),
  window: z.literal([30, 60]).optional(),
});

const SetTrading = z.strictObject({
  instrumentIds: listOf(U32, { name: 'instrumentIds', min: 1, max: LIMITS.instrumentIdsMax }),
  state: anyCase(['open', 'halt', 'close']),
});

const PushPrice = z.strictObject({
  prices: listOf(
    z.strictObject({
      symbol: z.string(),
      source: anyCase(['spot', 'oracle']),
      px: Dec,
      time: Ms,
    }),
    { name: 'prices', min: 1, max: 100 },
  ),
});

const Resolve = z.strictObject({
  instrumentId: U32,
  settlementFraction: Dec,
  oracleOutcome: z.string().nullable().optional(),
  evidence: z.string().max(2000).optional(),
});

/** Registers, trades, prices and resolves outcome markets. */
export const outcomeDeploy = defineAction({
  type: 'outcomeDeploy',
  internalName: 'OutcomeDeploy',
  signedBy: 'permissioned',
  schema: z
    .strictObject({
      type: z.literal('outcomeDeploy'),
      registerEvent: RegisterEvent.optional(),
      registerMarket: RegisterMarket.optional(),
      registerSeries: RegisterSeries.optional(),
      setTrading: SetTrading.optional(),
      pushPrice: PushPrice.optional(),
      resolve: Resolve.optional(),
    })
    .superRefine(
      exactlyOne([
        'registerEvent',
        'registerMarket',
        'registerSeries',
        'setTrading',
        'pushPrice',
        'resolve',
      ]),
    ),
});
