import type { Client, OrderEntry } from '@oddlot/sdk';
import { formatDecimal, parseExact } from '@oddlot/units';
import type { TestMarket } from './outcome-listing.ts';

export const ORDERS_PER_ACTION = 50;

/** The shape of a book filled by one call. */
export type BookShape = {
  /** The number of levels on each side. The default is 10. */
  readonly levels?: number;
  /** The size at each level, as decimal text. The default is 1 coin or 100 shares. */
  readonly size?: string;
  /**
   * The distance from the middle to the best price and between levels, in ticks. The default is 1.
   */
  readonly gapTicks?: number;
  /**
   * The middle price, as decimal text. The default is the oracle price, or 0.5 for an outcome
   * market.
   */
  readonly middle?: string;
};

type Wanted = BookShape & { readonly priceOf: (symbol: string) => string | undefined };

/** No tick has this many decimals. */
const DECIMALS = 8;
const SIZES = { perp: '1', outcome: '100' } as const;
const MIDDLE_OF_SHARES = '0.5';

/** Returns post-only orders on both sides of the middle price. */
export async function ladderOf(
  client: Client,
  instrument: string | TestMarket,
  wanted: Wanted,
): Promise<readonly OrderEntry[]> {
  const { gapTicks = 1, levels = 1 } = wanted;
  for (const [name, count] of Object.entries({ levels, gapTicks })) {
    if (Number.isSafeInteger(count) && count > 0) continue;
    throw new RangeError(`${name} must be a whole number above zero: ${count}`);
  }
  return typeof instrument === 'string'
    ? ladderOfPerp(client, instrument, wanted)
    : ladderOfShares(client, instrument, wanted);
}

async function ladderOfPerp(
  client: Client,
  name: string,
  { priceOf, ...shape }: Wanted,
): Promise<readonly OrderEntry[]> {
  const { universe } = await client.info.perpMeta();
  const perp = universe.find((each) => each.name === name || each.baseCurrency === name);
  if (perp === undefined) {
    const names = universe.map((each) => each.name).join(', ');
    throw new RangeError(`Unknown perp "${name}". Use one of ${names}`);
  }
  const middle = shape.middle ?? priceOf(perp.baseCurrency);
  if (middle === undefined) throw new RangeError(`No price is set for ${name}`);
  const size = shape.size ?? SIZES.perp;
  return rungs(shape, middle, perp.priceTick).map(({ isBid, price }) => ({
    a: perp.index,
    b: isBid,
    p: price,
    s: size,
    r: false,
    t: { limit: { tif: 'Alo' } },
  }));
}

/**
 * Returns orders for shares. Bids buy YES, and asks buy NO at the complementary price, so the
 * account needs no shares.
 */
async function ladderOfShares(
  client: Client,
  { eventSlug, id }: TestMarket,
  shape: BookShape,
): Promise<readonly OrderEntry[]> {
  const event = await client.info.outcomeEvent({ eventSlug });
  const tick = event.markets.find((each) => each.instrument_id === id)?.price_tick;
  if (tick === undefined) throw new RangeError(`Market ${id} does not exist in ${eventSlug}`);
  const size = shape.size ?? SIZES.outcome;
  const one = 10n ** BigInt(DECIMALS);
  return rungs(shape, shape.middle ?? MIDDLE_OF_SHARES, tick).map(({ isBid, price }) => ({
    a: id,
    b: isBid,
    p: isBid ? price : formatDecimal(one - exact(price), DECIMALS),
    s: size,
    r: false,
    t: { limit: { tif: 'Alo' } },
  }));
}

function rungs(
  { gapTicks = 1, levels = 10 }: BookShape,
  middle: string,
  tickText: string,
): readonly { readonly isBid: boolean; readonly price: string }[] {
  const tick = exact(tickText);
  const below = exact(middle) - (exact(middle) % tick);
  const gap = tick * BigInt(gapTicks);
  return Array.from({ length: levels }, (_, index) => gap * BigInt(index + 1)).flatMap((away) => [
    { isBid: true, price: formatDecimal(below - away, DECIMALS) },
    { isBid: false, price: formatDecimal(below + away, DECIMALS) },
  ]);
}

function exact(text: string): bigint {
  const value = parseExact(text, DECIMALS);
  if (value === undefined) throw new RangeError(`Not a decimal text: "${text}"`);
  return value;
}
