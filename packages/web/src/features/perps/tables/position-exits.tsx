import { useNavigate } from '@tanstack/react-router';
import { memo, useState } from 'react';
import type { AssetPosition } from '@oddlot/sdk';
import { number } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/grid-decimals.ts';
import { usePerp } from '../../../market/queries.ts';
import { classes } from '../../../ui/classes.ts';
import { ExitsDialog } from './exits-dialog.tsx';
import { useWaitingExits } from './waiting-exits.ts';
import { positionName } from '../use-account.ts';

/** Take-profit and stop-loss of a position; a press opens them. */
export const PositionExits = memo(function PositionExits({ row }: { readonly row: AssetPosition }) {
  const t = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const navigate = useNavigate();
  const waiting = useWaitingExits(row).slice(0, 2);
  const perp = usePerp(row.position.asset);
  const decimals = perp && priceDecimals(perp);
  const label = t('perps.exits.label', { market: positionName(row, t) });
  const [first] = row.tpsl;
  const prices = [first?.tpTriggerPrice, first?.slTriggerPrice].map((price) =>
    number(price, { decimals }),
  );
  const more = row.tpsl.length > 1 ? ` +${row.tpsl.length - 1}` : '';
  if (first === undefined && waiting.length > 0) {
    return (
      <button
        type="button"
        title={t('perps.exits.among')}
        onClick={() =>
          void navigate({
            to: '.',
            search: (before: object) => ({ ...before, tab: 'triggers' }),
            replace: true,
            resetScroll: false,
          })
        }
        className="rounded text-muted hover:text-text"
      >
        <span className="heard">{label} </span>
        <Prices prices={waiting.map(({ triggerPx }) => number(triggerPx, { decimals }))} />
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        onClick={() => setIsOpen(true)}
        className={classes(
          'rounded hover:text-text',
          first === undefined ? 'text-accent' : 'text-text',
        )}
      >
        <span className="heard">{label} </span>
        {first === undefined ? t('perps.exits.add') : <Prices prices={prices} more={more} />}
      </button>
      {isOpen && <ExitsDialog row={row} onClose={() => setIsOpen(false)} />}
    </>
  );
});

/** The profit before the loss; under it where columns are narrow. */
function Prices({
  prices: [first, second],
  more = '',
}: {
  readonly prices: readonly string[];
  readonly more?: string;
}) {
  return (
    <span className="inline-flex flex-col items-end leading-tight wide:flex-row">
      <span>{first}</span>
      {second !== undefined && (
        <span className="whitespace-pre">
          <span className="max-wide:hidden"> / </span>
          {second}
          {more}
        </span>
      )}
    </span>
  );
}
