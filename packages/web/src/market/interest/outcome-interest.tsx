import { useQuery } from '@tanstack/react-query';
import { useWords } from '../../lib/words.ts';
import { reader } from '../venue.ts';
import { InterestLine } from './interest-line.tsx';

const AGAIN_MS = 10_000;

/** Pairs of shares of an outcome market, hour by hour: for each of them 1 USDC is locked, whatever the price is. */
export function OutcomeInterest({
  instrumentId,
  name,
}: {
  readonly instrumentId: number;
  readonly name: string;
}) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: ['outcomeAssetCtxs', instrumentId],
    queryFn: ({ signal }) =>
      reader.info.outcomeAssetCtxs({ instrumentIds: [instrumentId] }, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const now = data?.[0];
  return (
    <InterestLine
      coin={String(instrumentId)}
      name={name}
      unit={t('interest.pairs')}
      held={now?.openInterest}
      mark={now?.markPx}
      worthOf={({ openInterest }) => openInterest}
    />
  );
}
