import type { L2Book } from '@oddlot/protocol';
import {
  queryInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
} from './query-info.ts';

/** What `l2Book` takes. */
export type L2BookParameters = InfoParameters<'l2Book'>;

/** The book of an instrument, at most 20 levels a side. */
export function l2Book(
  context: InfoContext,
  parameters: L2BookParameters,
  options?: InfoOptions,
): Promise<L2Book> {
  return queryInfo(context, { type: 'l2Book', ...parameters }, options);
}
