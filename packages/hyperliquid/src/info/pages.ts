import type { Fill, FundingRow, LedgerUpdate } from '@oddlot/protocol';
import { type Requester, askForPage } from '../venue-access.ts';

/**
 * The number of rows per query to the venue, which returns rows newest first and in pages. Of the
 * newest ten thousand rows, Hyperliquid returns the first ones in a period, oldest first.
 */
const PAGE_ROWS = 2_000;
const PAGES_MAX = 5;

type Row = {
  readonly userFills: Fill;
  readonly userFundings: FundingRow;
  readonly userNonFundingLedgerUpdates: LedgerUpdate;
};

export type Span = {
  readonly startTime: number;
  readonly endTime?: number | null | undefined;
  /** True to return the newest rows, newest first. */
  readonly reversed?: boolean | null | undefined;
};

export async function rowsOf<const Type extends keyof Row>(
  requester: Requester,
  query: {
    readonly type: Type;
    readonly user: string;
    readonly accountTypes?: readonly 'perp'[];
  },
  { endTime, reversed, startTime }: Span,
  rowsMax: number,
): Promise<Row[Type][]> {
  const period = { startTime, ...(endTime === undefined || endTime === null ? {} : { endTime }) };
  const rows: Row[Type][] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const asked = { ...query, ...period, limit: PAGE_ROWS, ...(cursor && { cursor }) };
    const { data, nextCursor } = await askForPage(requester, asked as never);
    rows.push(...listOf<Row[Type]>(data));
    cursor = nextCursor;
    if (cursor === undefined || cursor === null) break;
  }
  return (reversed === true ? rows : rows.toReversed()).slice(0, rowsMax);
}

/** Returns the rows of a response. Funding payments are nested in an object with other fields. */
function listOf<Item>(data: unknown): readonly Item[] {
  const list = Array.isArray(data) ? data : (data as { readonly data: unknown }).data;
  return list as readonly Item[];
}
