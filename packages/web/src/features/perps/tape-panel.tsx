import { memo, useMemo } from 'react';
import type { Trade } from '@oddlot/sdk';
import { compare, multiply } from '../../lib/decimal.ts';
import { number } from '../../lib/format.ts';
import { clockTime } from '../../lib/time.ts';
import { useWords } from '../../lib/words.ts';
import { tapes } from '../../market/book.ts';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useTradedPerp } from './traded-perp.ts';
import type { Grid } from './grid.ts';

/** As many as the tallest panel shows at once. */
const ROWS = 40;
/** From this value in USDC on a trade is set in bold. */
const LARGE = '25000';

/** The last trades, newest first. */
export function TapePanel({ title }: { readonly title?: string }) {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const { isLoaded, trades } = tapes.use(coin, (state) => state);
  const rows = useMemo(() => trades.slice(0, ROWS), [trades]);
  if (isLoaded && rows.length === 0) {
    return <EmptyState title={t('perps.tape.empty')} text={t('perps.tape.emptyText')} />;
  }
  return (
    <div
      className="h-full overflow-y-auto"
      role="group"
      tabIndex={0}
      aria-label={t('perps.tape.label')}
    >
      <table className="w-full text-12">
        <thead className="sticky top-0 z-10 bg-panel shadow-[0_1px_0_var(--line)]">
          <tr className={classes('text-11 text-muted', title === undefined ? 'h-6' : 'h-9')}>
            <th className="ps-3 text-start font-normal">
              {title === undefined ? (
                t('perps.column.price')
              ) : (
                <h2 className="text-13 text-text">{title}</h2>
              )}
            </th>
            <th className="max-w-24 truncate text-end font-normal">
              {t('perps.tape.size', { base: perp.baseCurrency })}
            </th>
            <th className="pe-3 text-end font-normal">{t('perps.column.time')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((trade) => (
            <Row key={trade.tid} trade={trade} grid={grid} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A trade never changes: one more on top renders one row. */
const Row = memo(function Row({ grid, trade }: { readonly grid: Grid; readonly trade: Trade }) {
  const t = useWords();
  const { liquidation, px, side, sz, time } = trade;
  const isLarge = compare(multiply(px, sz), LARGE) >= 0;
  return (
    <tr className={classes('h-5', isLarge && 'font-semibold')}>
      <td className={classes('ps-3', side === 'B' ? 'text-buy' : 'text-sell')}>
        {number(px, { decimals: grid.priceDecimals })}
        {liquidation === true && (
          <span
            title={t('perps.tape.liquidation')}
            className="ms-1.5 rounded bg-warning/15 px-1 text-11 font-normal text-warning"
          >
            {t('perps.tape.liquidationShort')}
          </span>
        )}
      </td>
      <td className="text-end">{number(sz, { decimals: grid.sizeDecimals })}</td>
      <td className="pe-3 text-end text-muted">{clockTime(time)}</td>
    </tr>
  );
});
