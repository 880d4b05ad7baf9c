import { useQuery } from '@tanstack/react-query';
import type { TxRow } from '@oddlot/sdk';
import { useWords } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { actionName } from './explorer-words.ts';
import { marketIdsOf, sentencesOf } from './tx-words.ts';
import { useNames } from './use-names.ts';

/** A transaction of a list in one line: the first thing that it says, and how many more there are. */
export function Said({ tx }: { readonly tx: TxRow }) {
  const t = useWords();
  const { data } = useQuery({
    queryKey: ['tx', tx.hash],
    queryFn: ({ signal }) => reader.info.tx({ txHash: tx.hash }, { signal }),
    staleTime: Infinity,
  });
  const nameOf = useNames(marketIdsOf(data?.action));
  const [first, ...more] = data === undefined ? [] : sentencesOf(data.action, nameOf, t);
  if (first === undefined) return <>{actionName(tx.action.type, t)}</>;
  return (
    <>
      <span className={SIDES[first.side ?? 'none']}>{first.text}</span>
      {more.length > 0 && (
        <span className="text-muted"> {t('explorer.says.more', { count: more.length })}</span>
      )}
    </>
  );
}

const SIDES = { buy: 'text-buy', sell: 'text-sell', none: '' } as const;
