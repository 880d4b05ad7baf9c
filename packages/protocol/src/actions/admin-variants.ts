import * as z from 'zod';
import { Address, Dec, Ms, U32, anyCase, listOf } from '../primitives.ts';

const GATE_ENTRIES_MAX = 1000;

const MarginTable = z.strictObject({
  tiers: listOf(
    z.strictObject({
      tier: U32,
      minSize: Dec,
      maxSize: Dec,
      maxLeverage: U32,
      mmr: Dec,
    }),
    { name: 'tiers', min: 1, max: 20 },
  ),
});

const BookTicks = listOf(Dec, { name: 'bookTicks', min: 1, max: 8 });
const TagIds = listOf(U32, { name: 'tagIds', min: 0, max: 20 });

const RegisterPerp = z.strictObject({
  name: z.string().min(1).max(64),
  baseCurrency: z.string().min(1).max(32),
  quoteCurrency: anyCase(['USDC']),
  perpType: anyCase(['linear']),
  szDecimals: z.int().min(-4).max(6),
  priceTick: Dec,
  bookTicks: BookTicks,
  maxLimitOrderSize: Dec,
  maxMarketOrderSize: Dec,
  takerFeeRate: Dec,
  makerFeeRate: Dec,
  onlyIsolated: z.boolean(),
  impactNotional: Dec,
  markBand: Dec.optional(),
  premiumCap: Dec.optional(),
  marginTable: MarginTable,
  asset: z
    .strictObject({
      assetId: U32,
      weiDecimals: z.int(),
      maxSupply: Dec,
      initialWei: Dec,
      archorTokenWei: Dec,
    })
    .optional(),
  tagIds: TagIds.optional(),
  instrumentId: U32.optional(),
});

const SetPerp = z
  .strictObject({
    instrumentId: U32,
    haltTrading: z.boolean().optional(),
    delisted: z.literal(true).optional(),
    onlyIsolated: z.boolean().optional(),
    takerFeeRate: Dec.optional(),
    makerFeeRate: Dec.optional(),
    priceTick: Dec.optional(),
    bookTicks: BookTicks.optional(),
    maxLimitOrderSize: Dec.optional(),
    maxMarketOrderSize: Dec.optional(),
    impactNotional: Dec.optional(),
    markBand: Dec.optional(),
    premiumCap: Dec.optional(),
    marginTable: MarginTable.optional(),
    tagIds: TagIds.optional(),
  })
  .superRefine((change, context) => {
    const changes = Object.values(change).filter((value) => value !== undefined).length - 1;
    // An action that changes nothing is a client mistake, so the first possible change is reported
    // as missing.
    if (changes < 1) context.addIssue({ code: 'custom', path: ['haltTrading'] });
  });

const PushOracle = z.strictObject({
  prices: listOf(
    z.strictObject({ instrumentId: U32, oraclePx: Dec, externalPerpPx: Dec.nullable() }),
    { name: 'prices', min: 1, max: 200 },
  ),
  time: Ms,
});

const gateList = <Item extends z.ZodType>(item: Item, name: string) =>
  listOf(item, { name, min: 0, max: GATE_ENTRIES_MAX }).optional();
const addresses = z.strictObject({
  add: gateList(Address, 'add'),
  remove: gateList(Address, 'remove'),
});

const SetGate = z.strictObject({
  channel: z.literal([0, 1]),
  mode: anyCase(['open', 'whitelist', 'accessCode', 'closed']).optional(),
  whitelist: addresses.optional(),
  blacklist: addresses.optional(),
  accessCodes: z
    .strictObject({
      add: gateList(z.strictObject({ code: z.string().min(1).max(64), maxUses: U32 }), 'add'),
      remove: gateList(z.string(), 'remove'),
    })
    .optional(),
  grants: z
    .strictObject({
      add: gateList(z.strictObject({ user: Address, code: z.string() }), 'add'),
      remove: gateList(Address, 'remove'),
    })
    .optional(),
});

const RegisterVault = z.strictObject({
  vault: Address,
  leader: Address,
  name: z.string().max(300),
  shares: listOf(z.strictObject({ user: Address, shares: Dec }), {
    name: 'shares',
    min: 0,
    max: 1000,
  }).optional(),
});

const TreasurySend = z.strictObject({ destination: Address, amount: Dec });

const OPERATORS_MAX = 20;
const operators = (name: string) =>
  listOf(Address, { name, min: 0, max: OPERATORS_MAX }).optional();

const SetOperators = z
  .strictObject({
    role: anyCase(['admins', 'deployers']),
    add: operators('add'),
    remove: operators('remove'),
  })
  .superRefine(({ add, remove }, context) => {
    // An action that changes nothing is a client mistake, so the first possible change is reported
    // as missing.
    if (add === undefined && remove === undefined) {
      context.addIssue({ code: 'custom', path: ['add'] });
    }
  });

const SetFeeTiers = z.strictObject({
  exchangeId: z.literal(0),
  tiers: listOf(
    z.strictObject({
      level: U32,
      min14dTradingVolume: Dec,
      perpMakerFeeRate: Dec,
      perpTakerFeeRate: Dec,
    }),
    { name: 'tiers', min: 1, max: 20 },
  ),
});

export const VENUE_ADMIN_VARIANTS = {
  registerPerp: RegisterPerp,
  setPerp: SetPerp,
  pushOracle: PushOracle,
  setGate: SetGate,
  registerVault: RegisterVault,
  treasurySend: TreasurySend,
  setOperators: SetOperators,
  setFeeTiers: SetFeeTiers,
} as const;
