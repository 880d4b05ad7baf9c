import { Crowd } from './positions.ts';
import { atMost, median, same, settleHeap, show, sized, type Row, type Scale } from './report.ts';

/** What a new mark costs while many hold a position that it puts in no danger. */

const TARGET_MS = 15;
const ORACLE = 1_000_000;

export async function marksSection(scale: Scale): Promise<readonly Row[]> {
  const positions = sized(scale, { full: 100_000, quick: 100_000, tiny: 50 });
  const updates = sized(scale, { full: 200, quick: 60, tiny: 3 });
  const venue = new Crowd(1);
  // Leverages from 4 to a half.
  venue.crowd(positions, (at) => 8 + ((7 * at) % 60));
  // Everyone is looked at once after opening, by the next mark at the latest.
  venue.price(ORACLE);
  await settleHeap();
  const spent: number[] = [];
  for (let update = 1; update <= updates; update++) {
    // Up and down by a fifth of a percent, so that every update moves the mark.
    spent.push(venue.price(ORACLE + (update % 2 === 0 ? 0 : 2_000)));
  }
  same('scopes under liquidation', venue.state.liquidations.size, 0);
  const worst = Math.max(...spent);
  const words = `${show(median(spent))} ms in the median of ${updates}, ${show(positions)} positions`;
  return [atMost('a mark without liquidations, the slowest', words, worst, TARGET_MS, ' ms')];
}
