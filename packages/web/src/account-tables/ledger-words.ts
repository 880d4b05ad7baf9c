import type { LedgerUpdate } from '@oddlot/sdk';
import { negate } from '../lib/decimal.ts';
import { money, number, short } from '../lib/format.ts';
import type { Words } from '../lib/words.ts';

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
export function detailOf(delta: Delta, t: Words): string {
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
      return t('portfolio.splitDetail', { size: number(delta.sz) });
    case 'outcomeSettlement': {
      const { outcome, settlementFraction, sz } = delta;
      return t('portfolio.settlementDetail', {
        size: number(sz),
        outcome,
        fraction: number(settlementFraction),
      });
    }
    default:
      return '';
  }
}
