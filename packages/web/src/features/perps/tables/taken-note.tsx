import { useState } from 'react';
import type { LedgerUpdate } from '@oddlot/sdk';
import { magnitude } from '../../../lib/decimal.ts';
import { number } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { WhyDialog } from '../../../account-tables/why-dialog.tsx';
import { ledgerLists } from '../../../market/account-lists.ts';
import { priceDecimals } from '../../../market/grid-decimals.ts';
import { usePerp } from '../../../market/queries.ts';
import { venueNow } from '../../../market/venue.ts';
import { Button } from '../../../ui/button.tsx';
import { useKept } from '../use-kept.ts';

/** How long the note is shown unasked; after that it is still in the ledger. */
const SAID_MS = 24 * 3_600_000;

/** Where a position is gone by no order of its owner: what was done, and why. */
export function TakenNote({ user }: { readonly user: string }) {
  const t = useWords();
  const [seenMs, setSeenMs] = useKept(`taken.${user}`, 0);
  const [isAsked, setIsAsked] = useState(false);
  const taken = ledgerLists.use(user, ({ rows }) => rows.find(isTaking));
  const perp = usePerp(coinOf(taken) ?? '');
  if (taken === undefined || taken.time <= seenMs || taken.time < venueNow() - SAID_MS) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-x-3 border-b border-line bg-warning/8 px-3 py-1 text-12 text-warning"
    >
      <span>{told(taken, perp && priceDecimals(perp), t)}</span>
      <span className="text-muted">{dateTime(taken.time)}</span>
      <span className="ms-auto flex gap-1">
        <Button size="small" onClick={() => setIsAsked(true)}>
          {t('portfolio.why.button')}
        </Button>
        <Button size="small" kind="quiet" onClick={() => setSeenMs(taken.time)}>
          {t('perps.taken.seen')}
        </Button>
      </span>
      {isAsked && <WhyDialog update={taken} onClose={() => setIsAsked(false)} />}
    </div>
  );
}

/** The last step that took something; orders that went before it are no news beside it. */
function isTaking({ delta }: LedgerUpdate): boolean {
  return delta.type === 'adl' || (delta.type === 'liquidation' && delta.step !== 'cancel');
}

/** The first market of what was taken: its grid is that of the mark. */
function coinOf(taken: LedgerUpdate | undefined): string | undefined {
  return taken?.delta.type === 'liquidation' ? taken.delta.liquidatedPositions[0]?.coin : undefined;
}

function told({ delta }: LedgerUpdate, decimals: number | undefined, t: Words): string {
  if (delta.type === 'adl') {
    return t('perps.taken.adl', { size: number(delta.sz), market: delta.coin });
  }
  if (delta.type !== 'liquidation') return '';
  const positions = delta.liquidatedPositions
    .map(({ coin, szi }) => `${number(magnitude(szi))} ${coin}`)
    .join(', ');
  return t('perps.taken.liquidation', { positions, mark: number(delta.markPx, { decimals }) });
}
