import { expect, test } from 'vitest';
import type { AccountState } from '../../market/account.ts';
import { subtract } from '../../lib/decimal.ts';
import { costOf, holdingsOf, worthAt } from './market-facts.ts';

const record = (szi: string, entryPx: string, cumFee: string, asset = '7') => ({
  position: { asset, szi, entryPx, cumFee, positionValue: '4', unrealizedPnl: '-1' },
});

test('what shares cost has their fees in it: at the end that is lost, all of it is gone', () => {
  const assetPositions = [
    record('100', '0.0887', '-0.56'),
    record('-10', '0.5', '0'),
    record('5', '0.9', '-1', '8'),
  ];
  const holdings = holdingsOf({ assetPositions } as unknown as AccountState['state'], 7);
  expect(holdings).toMatchObject([
    { leg: 'Yes', shares: '100', fees: '0.56', profit: '-1.56' },
    { leg: 'No', shares: '10', fees: '0', profit: '-1' },
  ]);
  // 100 × 0.0887 + 0.56 and 10 × 0.5.
  expect(costOf(holdings)).toBe('14.43');
  expect(subtract(worthAt(holdings, '0'), costOf(holdings))).toBe('-4.43');
  expect(subtract(worthAt(holdings, '1'), costOf(holdings))).toBe('85.57');
});
