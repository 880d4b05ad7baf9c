import { useQuery } from '@tanstack/react-query';
import type { BuilderRows } from '@oddlot/sdk';
import { useOlder } from '../../market/use-older.ts';
import { reader } from '../../market/venue.ts';
import type { Older } from '../../ui/older-rows.tsx';

const EVERY_MS = 5_000;
const PAGE_ROWS = 100;
const NONE: readonly never[] = [];
const timeOf = ({ time }: { readonly time: number }): number => time;

export type BuilderRowsOptions<Row> = {
  readonly user: string;
  readonly type: 'builderMeEarned' | 'builderMeClaimed';
  readonly idOf: (row: Row) => string | number;
};

/** What a builder earned or claimed: the newest page again and again, older ones on scrolling. */
export function useBuilderRows<Row extends { readonly time: number }>({
  user,
  type,
  idOf,
}: BuilderRowsOptions<Row>): {
  readonly rows: readonly Row[];
  readonly isLoaded: boolean;
  readonly older: Older;
} {
  const page = (start: object, options: { readonly signal: AbortSignal }) =>
    reader.info.historyPage<typeof type, BuilderRows<Row>>(
      { type, user, pageSize: PAGE_ROWS, ...start },
      options,
    );
  const { data } = useQuery({
    queryKey: [type, user],
    queryFn: ({ signal }) => page({}, { signal }),
    refetchInterval: EVERY_MS,
  });
  const whole = useOlder<Row>({
    key: `${type} ${user}`,
    head: data?.data.items ?? NONE,
    fullAt: PAGE_ROWS,
    timeOf,
    idOf,
    ask: async (start, options) => {
      const older = await page(start, options);
      return { ...older, data: older.data.items };
    },
  });
  return { ...whole, isLoaded: data !== undefined };
}

/** All rows, for a file. */
export async function allBuilderRows(
  tab: 'earned' | 'claimed',
  user: string,
): Promise<readonly object[]> {
  const { allBuilderMeClaimed, allBuilderMeEarned } = reader.info;
  const rows: object[] = [];
  for await (const row of tab === 'earned'
    ? allBuilderMeEarned({ user })
    : allBuilderMeClaimed({ user })) {
    rows.push(row);
  }
  return rows;
}
