import { fillPages } from './history-pages.ts';
import { restart } from './history-restart.ts';
import { rowRates } from './history-rows.ts';
import type { Row, Scale } from './report.ts';

/** What the history costs: its rows, its pages, its snapshots and a start from them. */
export async function historySection(scale: Scale): Promise<readonly Row[]> {
  return [...(await rowRates(scale)), ...(await fillPages(scale)), ...(await restart(scale))];
}
