import type { LedgerUpdate } from '@oddlot/sdk';
import { decimalsOf, negate, subtract } from '../lib/decimal.ts';
import { cents, money, number, short } from '../lib/format.ts';
import type { Words } from '../lib/words.ts';
import type { MarketName, MarketNames } from '../market/market-names.ts';

type Delta = LedgerUpdate['delta'];

/** What a row added to the account; undefined where it is no amount of money. */
export function amountOf(delta: Delta): string | undefined {
  switch (delta.type) {
    case 'liquidation':
      return undefined;
    case 'adl':
      return delta.closedPnl;
    case 'withdraw':
    case 'send':
    case 'outcomeSplit':
      return negate(delta.amount);
    default:
      return delta.amount;
  }
}

/** Why, whom with and how much of what, in one line. */
export function detailOf(delta: Delta, t: Words, names: MarketNames = new Map()): string {
  switch (delta.type) {
    case 'liquidation':
      return t('portfolio.liquidationDetail', {
        market: delta.liquidatedPositions.map(({ coin }) => coin).join(', '),
        mark: number(delta.markPx),
        equity: money(delta.accountValue),
        maintenance: money(delta.maintenanceMargin),
      });
    case 'adl': {
      const what = { size: number(delta.sz), market: delta.coin, price: number(delta.px) };
      return t('portfolio.adlDetail', what);
    }
    case 'accountTransfer':
      return t('portfolio.transferDetail', {
        from: delta.fromAccountType,
        to: delta.toAccountType,
      });
    case 'send':
    case 'withdraw':
      return short(delta.destination);
    case 'receive':
      return short(delta.user);
    case 'outcomeSplit':
    case 'outcomeMerge':
      return ofMarket(
        names.get(delta.instrumentId),
        t('portfolio.splitDetail', { size: number(delta.sz) }),
        t,
      );
    case 'outcomeSettlement': {
      const { instrumentId, outcome, settlementFraction: fraction, sz } = delta;
      const market = names.get(instrumentId);
      const isYes = outcome === 'Yes';
      // The fraction is what YES pays; NO pays the rest.
      const paid = isYes ? fraction : subtract('1', fraction);
      const detail = t('portfolio.settlementDetail', {
        size: number(sz),
        outcome: market?.outcomes[isYes ? 0 : 1] ?? outcome,
        price: cents(paid, Math.max(2, decimalsOf(paid))),
      });
      return ofMarket(market, detail, t);
    }
    default:
      return '';
  }
}

/** Which market a row is about, where that is known. */
function ofMarket(market: MarketName | undefined, detail: string, t: Words): string {
  return market === undefined ? detail : t('portfolio.ofMarket', { market: market.name, detail });
}

/** The outcome market that a row is about. */
export function marketIdOf(delta: Delta): number | undefined {
  switch (delta.type) {
    case 'outcomeSplit':
    case 'outcomeMerge':
    case 'outcomeSettlement':
      return delta.instrumentId;
    default:
      return undefined;
  }
}
