import type { AssetPosition } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { percent } from '../lib/format.ts';
import { useWords } from '../lib/words.ts';
import { OnGrid, SizeOnGrid } from '../market/on-grid.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { colourOf, Money } from '../ui/figure.tsx';
import { Fact } from '../ui/fact.tsx';

/** All that the table says of a position, for screens that have no room for its columns. */
export function PositionDetails({
  row: { position },
  onClose,
}: {
  readonly row: AssetPosition;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const { asset, coin, leverage, returnOnEquity } = position;
  return (
    <Dialog title={coin} isOpen onClose={onClose}>
      <dl className="flex flex-col gap-2">
        <Fact name={t('portfolio.size')}>
          <SizeOnGrid coin={asset} value={position.szi} />
        </Fact>
        <Fact name={t('portfolio.entry')}>
          <OnGrid coin={asset} value={position.entryPx} />
        </Fact>
        <Fact name={t('portfolio.mark')}>
          <OnGrid coin={asset} value={position.markPx} />
        </Fact>
        <Fact name={t('portfolio.worth')}>
          <Money value={position.positionValue} />
        </Fact>
        <Fact name={t('portfolio.pnl')}>
          <Money value={position.unrealizedPnl} isSigned isColoured />{' '}
          <span className={colourOf(returnOnEquity)}>
            ({percent(returnOnEquity, { decimals: 1, isSigned: true })})
          </span>
        </Fact>
        <Fact name={t('portfolio.liquidation')}>
          <OnGrid coin={asset} value={position.liquidationPx} />
        </Fact>
        <Fact name={t('portfolio.margin')}>
          <Money value={position.marginUsed} />{' '}
          <span className="text-muted">
            {leverage.value}× {leverage.type.toLowerCase()}
          </span>
        </Fact>
        <Fact name={t('portfolio.funding')}>
          <Money value={position.cumFunding.sinceOpen} isSigned />
        </Fact>
      </dl>
      <p className="mt-4">
        <Link to={`/trade/${coin}` as '/'} className="text-accent hover:underline">
          {t('portfolio.toTerminal', { market: coin })}
        </Link>
      </p>
    </Dialog>
  );
}
