import { fillPages } from './history-pages.ts';
import { rowRates } from './history-rows.ts';
import type { Row, Scale } from './report.ts';

/** What the history costs: making and storing its rows, and finding them among very many. */
export async function historySection(scale: Scale): Promise<readonly Row[]> {
  return [...(await rowRates(scale)), ...(await fillPages(scale))];
}
