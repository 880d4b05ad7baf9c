import type { AssetPosition } from '@oddlot/sdk';
import { money, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { colourOf, Money } from '../../../ui/figure.tsx';
import { Fact } from '../../../ui/fact.tsx';
import { positionName } from '../use-account.ts';
import { AdlLights } from './adl-lights.tsx';
import { LiquidationDistance, LiquidationPrice } from './liquidation-price.tsx';
import { PositionExits } from './position-exits.tsx';

/** All that the table says of a position, for screens that have no room for its columns. */
export function PositionDetails({
  row,
  onClose,
}: {
  readonly row: AssetPosition;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const { position } = row;
  const { asset, leverage, returnOnEquity, unrealizedPnl } = position;
  return (
    <Dialog title={positionName(row, t)} isOpen onClose={onClose}>
      <dl className="flex flex-col gap-2">
        <Fact name={t('perps.column.size')}>
          <SizeOnGrid coin={asset} value={position.szi} />
        </Fact>
        <Fact name={t('perps.column.entry')}>
          <OnGrid coin={asset} value={position.entryPx} />
        </Fact>
        <Fact name={t('perps.column.mark')}>
          <OnGrid coin={asset} value={position.markPx} />
        </Fact>
        <Fact name={t('perps.column.pnl')}>
          <span className={colourOf(unrealizedPnl)}>
            {money(unrealizedPnl, { isSigned: true })} (
            {percent(returnOnEquity, { decimals: 1, isSigned: true })})
          </span>
        </Fact>
        <Fact name={t('perps.column.liquidation')}>
          <LiquidationPrice position={position} />{' '}
          <span className="text-muted">
            <LiquidationDistance position={position} />
          </span>
        </Fact>
        <Fact name={t('perps.column.margin')}>
          <Money value={position.marginUsed} />{' '}
          <span className="text-muted">
            {leverage.value}× {t(`perps.account.${leverage.type}`)}
          </span>
        </Fact>
        <Fact name={t('perps.column.funding')}>
          <Money value={position.cumFunding.sinceOpen} isSigned isColoured />
        </Fact>
        <Fact name={t('perps.column.adl')}>
          <AdlLights quantile={position.adlQuantile} />
        </Fact>
        <Fact name={t('perps.column.exits')}>
          <PositionExits row={row} />
        </Fact>
      </dl>
    </Dialog>
  );
}
