import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { anyCase, Dec, listOf, Ms, U32 } from '../primitives.ts';

/**
 * All variants are strict objects, so that a field misspelt by an operator is rejected instead of
 * being ignored.
 */

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

export const OUTCOME_DEPLOY_VARIANTS = {
  registerEvent: RegisterEvent,
  registerMarket: RegisterMarket,
  registerSeries: RegisterSeries,
  setTrading: SetTrading,
  pushPrice: PushPrice,
  resolve: Resolve,
} as const;
