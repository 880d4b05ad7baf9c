import { useWords } from '../../lib/words.ts';
import { briefOf, type ListedTx } from './brief-words.ts';
import type { NameOf } from './sentence.ts';

/** A transaction of a list in one line: the first thing that it says, and how many more there are. */
export function Said({ tx, nameOf }: { readonly tx: ListedTx; readonly nameOf: NameOf }) {
  const t = useWords();
  const { more, side, text } = briefOf(tx, nameOf, t);
  return (
    <>
      <span className={`normal-nums ${SIDES[side ?? 'none']}`}>{text}</span>
      {more > 0 && <span className="text-muted"> {t('explorer.says.more', { count: more })}</span>}
      {tx.entries === null && <span className="text-muted"> · {t('explorer.queued')}</span>}
    </>
  );
}

const SIDES = { buy: 'text-buy', sell: 'text-sell', none: '' } as const;
