import type { Fill, LedgerUpdate, PerpMeta } from '@oddlot/sdk';
import { add, decimalsOf, divide, multiply, sign, subtract } from '../../lib/decimal.ts';
import { money, number, short } from '../../lib/format.ts';
import type { Words } from '../../lib/words.ts';
import type { Toast } from '../../ui/toast.tsx';

export type News = Omit<Toast, 'id'>;

/** What fills are worth telling: one notice an order, with its size and average price on the grid of its market. */
export function fillNews(
  fills: readonly Fill[],
  t: Words,
  perps: readonly PerpMeta[] = [],
): readonly News[] {
  const byOrder = new Map<string, Fill[]>();
  for (const fill of fills) {
    // What a settlement or a split does is told by the ledger.
    if (fill.crossed === null) continue;
    const key = `${fill.oid} ${fill.side}`;
    byOrder.set(key, [...(byOrder.get(key) ?? []), fill]);
  }
  return [...byOrder.values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    const size = of.reduce((sum, { sz }) => add(sum, sz), '0');
    const value = of.reduce((sum, { px, sz }) => add(sum, multiply(px, sz)), '0');
    const isBuy = first.side === 'B';
    const perp = perps.find(({ index }) => index === first.instrumentId);
    const decimals = {
      size: perp && Math.max(0, perp.szDecimals),
      price: perp && decimalsOf(perp.priceTick),
    };
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

/** What a market that has ended is called, and its legs, YES first. */
export type SettledMarket = {
  readonly name: string;
  readonly outcomes: readonly [string, string];
};

/** What changes of the ledger are worth telling; what the owner has just done himself is not. */
export function ledgerNews(
  rows: readonly LedgerUpdate[],
  t: Words,
  markets: ReadonlyMap<number, SettledMarket> = new Map(),
): readonly News[] {
  return rows.flatMap(({ delta }): News[] => {
    switch (delta.type) {
      case 'liquidation': {
        const market = delta.liquidatedPositions.map(({ coin }) => coin).join(', ');
        const text = t('news.liquidatedText', { market, price: number(delta.markPx) });
        return [{ title: t('news.liquidated'), text, tone: 'warning' }];
      }
      case 'adl': {
        const what = { size: number(delta.sz), market: delta.coin };
        const text = t('news.at', { price: number(delta.px) });
        return [{ title: t('news.deleveraged', what), text, tone: 'warning' }];
      }
      case 'outcomeSettlement':
        return [settlementNews(delta, markets.get(delta.instrumentId), t)];
      case 'withdraw': {
        const amount = money(delta.amount);
        if (delta.status === 'completed') return [{ title: t('news.withdrawn', { amount }) }];
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

/** A leg that was wrong is told as a loss: nobody was paid. */
function settlementNews(
  { amount, outcome, settlementFraction: fraction, sz }: Settlement,
  market: SettledMarket | undefined,
  t: Words,
): News {
  const [yes, no] = market?.outcomes ?? ['Yes', 'No'];
  const what = {
    market: market?.name ?? t('news.someMarket'),
    size: number(sz),
    outcome: outcome === 'Yes' ? yes : no,
    winner: outcome === 'Yes' ? no : yes,
    amount: money(amount),
    // The fraction is what YES pays; NO pays the rest.
    fraction: number(outcome === 'Yes' ? fraction : subtract('1', fraction)),
  };
  if (sign(amount) > 0) {
    return { title: t('news.settled', what), text: t('news.settledText', what), tone: 'buy' };
  }
  return { title: t('news.resolved', what), text: t('news.worthNothing', what), tone: 'sell' };
}
