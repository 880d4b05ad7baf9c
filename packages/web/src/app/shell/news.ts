import type { Fill, LedgerUpdate, PerpMeta } from '@oddlot/sdk';
import { decimalsOf, divide, multiply, roundTo, sign, subtract, sum } from '../../lib/decimal.ts';
import { cents, money, number, short } from '../../lib/format.ts';
import type { Words } from '../../lib/words.ts';
import {
  marketNames,
  priceDecimals,
  sizeDecimals,
  type MarketName,
  type MarketNames,
} from '../../market/cells.tsx';
import { knownPerps } from '../../market/queries.ts';
import type { Toast } from '../../ui/overlays.tsx';

export type News = Omit<Toast, 'id'>;

export function fillNews(
  fills: readonly Fill[],
  t: Words,
  perps: readonly PerpMeta[] = [],
  markets: MarketNames = new Map(),
): readonly News[] {
  const byOrder = new Map<string, Fill[]>();
  for (const fill of fills) {
    if (fill.crossed === null) continue;
    const key = `${fill.oid} ${fill.side}`;
    byOrder.set(key, [...(byOrder.get(key) ?? []), fill]);
  }
  return [...byOrder.values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    if (first.outcome !== undefined) return [sharesNews(of, first, markets, t)];
    const size = sum(of.map(({ sz }) => sz));
    const value = sum(of.map(({ px, sz }) => multiply(px, sz)));
    const isBuy = first.side === 'B';
    const perp = perps.find(({ index }) => index === first.instrumentId);
    const decimals = { size: perp && sizeDecimals(perp), price: perp && priceDecimals(perp) };
    const what = {
      size: number(size, { decimals: decimals.size }),
      market: first.title ?? first.symbol,
    };
    const price = divide(value, size, 6) ?? first.px;
    const text = t('news.at', {
      price: number(of.length === 1 ? first.px : price, { decimals: decimals.price }),
    });
    const tone = isBuy ? 'buy' : 'sell';
    return [{ title: t(isBuy ? 'news.bought' : 'news.sold', what), text, tone }];
  });
}

/**
 * Describes fills of shares. `dir` is the direction that the user intended, while the side refers
 * to the YES book.
 */
function sharesNews(of: readonly Fill[], first: Fill, markets: MarketNames, t: Words): News {
  const market = markets.get(first.instrumentId);
  const [yes, no] = market?.outcomes ?? ['Yes', 'No'];
  const isBuy = first.dir.startsWith('Buy');
  const leg = first.outcome === 'Yes' ? yes : no;
  const size = sum(of.map(({ sz }) => sz));
  const value = sum(of.map(({ px, sz }) => multiply(px, sz)));
  const decimals = Math.max(CENT_DECIMALS, ...of.map(({ px }) => decimalsOf(px)));
  const average = roundTo(divide(value, size, 6) ?? first.px, decimals + 1);
  const price = cents(average, Math.max(decimals, decimalsOf(average)));
  const name = market?.name ?? first.title ?? first.symbol;
  return {
    title: t(isBuy ? 'news.bought' : 'news.sold', { size: number(size), market: leg }),
    text: t('news.sharesAt', { market: name, price }),
    tone: isBuy ? 'buy' : 'sell',
  };
}

const CENT_DECIMALS = 2;

export function ledgerNews(
  rows: readonly LedgerUpdate[],
  t: Words,
  perps: readonly PerpMeta[] = [],
  markets: MarketNames = new Map(),
): readonly News[] {
  const onGrid = (price: string, coin: string | undefined): string => {
    const perp = perps.find(({ name }) => name === coin);
    return number(price, { decimals: perp && priceDecimals(perp) });
  };
  return rows.flatMap(({ delta }): News[] => {
    switch (delta.type) {
      case 'liquidation': {
        const market = delta.liquidatedPositions.map(({ coin }) => coin).join(', ');
        const price = onGrid(delta.markPx, delta.liquidatedPositions[0]?.coin);
        const text = t('news.liquidatedText', { market, price });
        return [{ title: t('news.liquidated'), text, tone: 'warning' }];
      }
      case 'adl': {
        const what = { size: number(delta.sz), market: delta.coin };
        const text = t('news.at', { price: onGrid(delta.px, delta.coin) });
        return [{ title: t('news.deleveraged', what), text, tone: 'warning' }];
      }
      case 'outcomeSettlement':
        return [settlementNews(delta, markets.get(delta.instrumentId), t)];
      case 'withdraw': {
        const amount = money(delta.amount);
        const fee = money(delta.fee);
        if (delta.status === 'completed') {
          const title = t('news.withdrawn', { amount: money(subtract(delta.amount, delta.fee)) });
          const hasFee = sign(delta.fee) > 0;
          return [hasFee ? { title, text: t('news.withdrawnFee', { amount, fee }) } : { title }];
        }
        if (delta.status === 'failed') {
          return [{ title: t('news.withdrawFailed', { amount }), tone: 'warning' }];
        }
        return [];
      }
      case 'deposit':
        return [{ title: t('news.deposited', { amount: money(delta.amount) }) }];
      case 'receive': {
        const what = { amount: money(delta.amount), from: short(delta.user) };
        return [{ title: t('news.received', what) }];
      }
      default:
        return [];
    }
  });
}

type Settlement = Extract<LedgerUpdate['delta'], { type: 'outcomeSettlement' }>;

function settledPrice(fraction: string): string {
  return cents(fraction, Math.max(CENT_DECIMALS, decimalsOf(fraction)));
}

function settlementNews(
  { amount, outcome, settlementFraction: fraction, sz }: Settlement,
  market: MarketName | undefined,
  t: Words,
): News {
  const [yes, no] = market?.outcomes ?? ['Yes', 'No'];
  const what = {
    market: market?.name ?? t('news.someMarket'),
    size: number(sz),
    outcome: outcome === 'Yes' ? yes : no,
    winner: outcome === 'Yes' ? no : yes,
    amount: money(amount),
    price: settledPrice(outcome === 'Yes' ? fraction : subtract('1', fraction)),
  };
  if (sign(amount) > 0) {
    return { title: t('news.settled', what), text: t('news.settledText', what), tone: 'buy' };
  }
  return { title: t('news.resolved', what), text: t('news.worthNothing', what), tone: 'sell' };
}

export async function namedFillNews(rows: readonly Fill[], t: Words): Promise<readonly News[]> {
  const shares = rows.filter(({ outcome }) => outcome !== undefined);
  const names = await namesFor(shares.map(({ instrumentId }) => instrumentId));
  return fillNews(rows, t, knownPerps(), names);
}

export async function namedLedgerNews(
  rows: readonly LedgerUpdate[],
  t: Words,
): Promise<readonly News[]> {
  const ids = rows.flatMap(({ delta }) =>
    delta.type === 'outcomeSettlement' ? [delta.instrumentId] : [],
  );
  return ledgerNews(rows, t, knownPerps(), await namesFor(ids));
}

function namesFor(instrumentIds: readonly number[]): Promise<MarketNames> {
  return marketNames(instrumentIds).catch(() => new Map());
}
