import type {
  ActionReply,
  ActiveAssetData,
  AssetPosition,
  ClearinghouseState,
  Client,
  PerpMeta,
} from '@oddlot/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useState } from 'react';
import { sign } from '../../lib/decimal.ts';
import { explainError } from '../../lib/explain-error.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { accountStates } from '../../market/account.ts';
import { priceDecimals, sizeDecimals } from '../../market/cells.tsx';
import { queryClient } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { failureOf, sentOnce } from '../../session/sent-once.ts';
import { isLive, useSession } from '../../session/session.ts';
import { notify } from '../../ui/overlays.tsx';

const ASSET_DATA_MS = 3_000;

export function useAssetData(coin: string): ActiveAssetData | undefined {
  return useAnswer(coin, [], (user, signal) =>
    reader.info.activeAssetData({ user, coin }, { signal }),
  );
}

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

export function usePositionCount(): number {
  const user = useSession()?.address;
  const key = user === undefined ? undefined : ({ user, accountType: 'perp' } as const);
  return accountStates.use(key, ({ state }) => state?.assetPositions.length ?? 0);
}

export function isLong({ position }: AssetPosition): boolean {
  return sign(position.szi) > 0;
}

export function positionName(row: AssetPosition, t: Words): string {
  const market = row.position.coin;
  if (row.type !== 'Hedge') return market;
  return t(isLong(row) ? 'perps.leg.long' : 'perps.leg.short', { market });
}

export function positionKey(row: AssetPosition): string {
  return `${row.position.asset} ${isLong(row) ? 'long' : 'short'}`;
}

function afterAction(): void {
  void queryClient.invalidateQueries({ queryKey: ['activeAssetData'] });
  void queryClient.invalidateQueries({ queryKey: ['simulate'] });
}

type Acting = {
  readonly canAct: boolean;
  readonly isBusy: boolean;
  readonly isAsking: boolean;
  readonly act: (run: (trader: Client) => Promise<ActionReply>) => Promise<ActionReply | undefined>;
};

export function useAct(onFault?: (error: unknown) => void): Acting {
  const t = useWords();
  const trader = useSession()?.trader;
  const [stage, setStage] = useState<'idle' | 'sending' | 'asking'>('idle');
  const isBusy = stage !== 'idle';
  const act: Acting['act'] = async (run) => {
    if (trader === undefined || isBusy) return undefined;
    if (!isLive()) {
      notify({ title: t('perps.notLive'), tone: 'warning' });
      return undefined;
    }
    setStage('sending');
    try {
      const reply = await sentOnce(trader, run, () => setStage('asking'));
      const fault = failureOf(reply);
      if (fault !== undefined) throw fault;
      return reply;
    } catch (error) {
      if (onFault === undefined)
        notify({ title: explainError(error, t).sentence, tone: 'warning' });
      else onFault(error);
      return undefined;
    } finally {
      setStage('idle');
      afterAction();
    }
  };
  return { canAct: trader !== undefined, isBusy, isAsking: stage === 'asking', act };
}

type TradedPerp = { readonly perp: PerpMeta; readonly grid: Grid; readonly coin: string };

export const TradedPerpContext = createContext<TradedPerp | undefined>(undefined);

export function useTradedPerp(): TradedPerp {
  const traded = useContext(TradedPerpContext);
  if (traded === undefined) throw new Error('There is no market around this panel');
  return traded;
}

export type Grid = {
  readonly tick: string;
  readonly priceDecimals: number;
  readonly lot: string;
  readonly sizeDecimals: number;
};

export function gridOf(perp: PerpMeta): Grid {
  const { priceTick, szDecimals } = perp;
  const lot = szDecimals > 0 ? `0.${'0'.repeat(szDecimals - 1)}1` : `1${'0'.repeat(-szDecimals)}`;
  return {
    tick: priceTick,
    priceDecimals: priceDecimals(perp),
    lot,
    sizeDecimals: sizeDecimals(perp),
  };
}
