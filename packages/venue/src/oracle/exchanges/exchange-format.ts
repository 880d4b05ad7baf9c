import { parseDecimal } from '@oddlot/units';
import { REFERENCE_DECIMALS } from '../reference-feed.ts';

/** The best bid and ask of a symbol, 10^-8. */
export type Quote = { readonly symbol: string; readonly bidE8: number; readonly askE8: number };

/** How one exchange tells its public prices. */
export type ExchangeFormat = {
  /** Where it is, unless configured otherwise. */
  readonly url: string;
  /** The address to connect to for these symbols. */
  address(url: string, symbols: readonly string[]): string;
  /** What to send when connected. */
  greetings(symbols: readonly string[]): readonly string[];
  /** What a frame says: nothing for heartbeats and the like, undefined when it makes no sense. */
  read(frame: Frame): readonly Quote[] | undefined;
};

/** A JSON object that nobody has checked. */
type Frame = Readonly<Record<string, unknown>>;

/** Wider books than this say nothing about the price. */
const SPREAD_SHARE_MAX = 0.02;

/** A quote from what a frame has for bid and ask; undefined when those cannot be prices. */
export function quote(symbol: unknown, bid: unknown, ask: unknown): Quote | undefined {
  const [bidE8, askE8] = [priceE8(bid), priceE8(ask)];
  if (typeof symbol !== 'string' || bidE8 === undefined || askE8 === undefined) return undefined;
  if (bidE8 > askE8 || askE8 - bidE8 > askE8 * SPREAD_SHARE_MAX) return undefined;
  return { symbol, bidE8, askE8 };
}

export function isFrame(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Exchanges write prices as text or as JSON numbers. */
function priceE8(value: unknown): number | undefined {
  const count =
    typeof value === 'string'
      ? Number(parseDecimal(value, REFERENCE_DECIMALS)?.floor ?? 0n)
      : typeof value === 'number'
        ? Math.round(value * 10 ** REFERENCE_DECIMALS)
        : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}
