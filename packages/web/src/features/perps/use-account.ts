import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ActiveAssetData, AssetPosition, ClearinghouseState } from '@oddlot/sdk';
import { sign } from '../../lib/decimal.ts';
import type { Words } from '../../lib/words.ts';
import { accountStates } from '../../market/account.ts';
import { reader } from '../../market/venue.ts';
import { useSession } from '../../session/session.ts';

/** What the account of the session has, as far as perps go. */

const ASSET_DATA_MS = 3_000;

/** Leverage, margin mode, and how much can be bought and sold at the mark; undefined for a visitor. */
export function useAssetData(coin: string): ActiveAssetData | undefined {
  return useAnswer(coin, [], (user, signal) =>
    reader.info.activeAssetData({ user, coin }, { signal }),
  );
}

/** An answer about an account in a market, asked for again while it is shown; undefined for a visitor. */
export function useAnswer<Answer>(
  coin: string,
  key: readonly (string | null)[],
  ask: (user: string, signal: AbortSignal) => Promise<Answer>,
): Answer | undefined {
  const user = useSession()?.address;
  return useQuery({
    queryKey: ['activeAssetData', user, coin, ...key],
    queryFn: ({ signal }) => ask(user!, signal),
    enabled: user !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ASSET_DATA_MS,
    staleTime: 0,
  }).data;
}

export function useAccountState(): ClearinghouseState | undefined {
  const user = useSession()?.address;
  const key = user === undefined ? undefined : ({ user, accountType: 'perp' } as const);
  return accountStates.use(key, ({ state }) => state);
}

const NO_POSITIONS: readonly AssetPosition[] = [];

export function usePositions(): readonly AssetPosition[] {
  return useAccountState()?.assetPositions ?? NO_POSITIONS;
}

/** Positions change with every mark; how many there are does not. */
export function usePositionCount(): number {
  const user = useSession()?.address;
  const key = user === undefined ? undefined : ({ user, accountType: 'perp' } as const);
  return accountStates.use(key, ({ state }) => state?.assetPositions.length ?? 0);
}

export function isLong({ position }: AssetPosition): boolean {
  return sign(position.szi) > 0;
}

/** What a position is called among others: in hedge mode with its side. */
export function positionName(row: AssetPosition, t: Words): string {
  const market = row.position.coin;
  if (row.type !== 'Hedge') return market;
  return t(isLong(row) ? 'perps.leg.long' : 'perps.leg.short', { market });
}

export function positionKey(row: AssetPosition): string {
  return `${row.position.asset} ${isLong(row) ? 'long' : 'short'}`;
}
