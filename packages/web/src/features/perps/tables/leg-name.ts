import type { AssetPosition } from '@oddlot/sdk';
import type { Words } from '../../../lib/words.ts';
import { isLong } from '../use-account.ts';

/** In hedge mode a market may stand in two rows. */
export function legName(row: AssetPosition, t: Words): string {
  const { coin } = row.position;
  if (row.type === 'OneWay') return coin;
  return `${coin} ${t(isLong(row) ? 'perps.long' : 'perps.short').toLowerCase()}`;
}
