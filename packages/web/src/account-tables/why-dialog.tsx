import type { LedgerDelta, LedgerUpdate } from '@oddlot/sdk';
import { magnitude, sign } from '../lib/decimal.ts';
import { money, number, usdc, wholeDate } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { priceDecimals } from '../market/cells.tsx';
import { usePerp } from '../market/queries.ts';
import { Dialog } from '../ui/overlays.tsx';
import { OriginLink } from './cells.tsx';

type WhyDialogProps = { readonly update: LedgerUpdate; readonly onClose: () => void };

export function WhyDialog({ update, onClose }: WhyDialogProps) {
  const t = useWords();
  const { delta, hash, time } = update;
  const [first] = delta.type === 'liquidation' ? delta.liquidatedPositions : [];
  const perp = usePerp(delta.type === 'adl' ? delta.coin : (first?.coin ?? ''));
  const decimals = perp && priceDecimals(perp);
  const facts = factsOf(delta, decimals, t);
  return (
    <Dialog
      title={t(`portfolio.ledgerKind.${delta.type}`)}
      description={wholeDate(time)}
      isOpen
      onClose={onClose}
    >
      {delta.type === 'liquidation' && (
        <p className="mb-3 text-13">
          {t('portfolio.why.liquidation', {
            mark: number(delta.markPx, { decimals }),
            equity: money(delta.accountValue),
            maintenance: money(delta.maintenanceMargin),
          })}
        </p>
      )}
      {delta.type === 'adl' && <p className="mb-3 text-13">{t('portfolio.why.adl')}</p>}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-13">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="text-end">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-12">
        <OriginLink hash={hash}>{t('portfolio.why.block')}</OriginLink>
      </p>
    </Dialog>
  );
}

function factsOf(
  delta: LedgerDelta,
  decimals: number | undefined,
  t: Words,
): readonly (readonly [string, string])[] {
  if (delta.type === 'adl') {
    return [
      [t('portfolio.market'), delta.coin],
      [t('portfolio.size'), number(delta.sz)],
      [t('portfolio.price'), number(delta.px, { decimals })],
      [t('portfolio.closedPnl'), usdc(delta.closedPnl, { isSigned: true })],
    ];
  }
  if (delta.type !== 'liquidation') return [];
  return [
    [
      t('portfolio.market'),
      delta.liquidatedPositions
        .map(({ coin, szi }) =>
          t(sign(szi) < 0 ? 'portfolio.why.short' : 'portfolio.why.long', {
            size: number(magnitude(szi)),
            market: coin,
          }),
        )
        .join(', '),
    ],
    [t('portfolio.mark'), number(delta.markPx, { decimals })],
    [t('portfolio.why.equity'), usdc(delta.accountValue)],
    [t('portfolio.why.maintenance'), usdc(delta.maintenanceMargin)],
    [t('portfolio.why.step'), t(`portfolio.why.steps.${delta.step}`)],
    [
      t(delta.leverageType === 'Cross' ? 'portfolio.why.notional' : 'portfolio.worth'),
      usdc(delta.liquidatedNtlPos),
    ],
  ];
}
