import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { usePageTitle } from '../../lib/browser.ts';
import { isDecimal, multiply, sign } from '../../lib/decimal.ts';
import { compact, countdown, hourlyRate, number, usdc } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { showAlerts } from '../../market/alerts/alerts.ts';
import { useVenueSecond } from '../../market/cells.tsx';
import { dayChange, isSinceStart, useTrends } from '../../market/past-prices.ts';
import { contexts } from '../../market/streams.ts';
import { Percent, Price } from '../../ui/figures.tsx';
import { useHotkey } from '../../ui/keyboard.tsx';
import { Tooltip } from '../../ui/overlays.tsx';
import { LayoutMenu } from './layout/layout-menu.tsx';
import { useTradedPerp } from './use-account.ts';

export function MarketStrip({ hasLayouts }: { readonly hasLayouts: boolean }) {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const ctx = contexts.use(coin, (state) => state.ctx);
  const mark = ctx?.markPx;
  usePageTitle(
    isDecimal(mark) ? `${number(mark, { decimals: grid.priceDecimals })} ${perp.name}` : perp.name,
  );
  const own = useMemo(() => [perp], [perp]);
  const trend = useTrends(own).get(perp.index);
  const change = dayChange(ctx, trend);
  const isYoung = isSinceStart(ctx, trend);
  const interest =
    ctx !== undefined && isDecimal(mark) ? multiply(ctx.openInterest, mark) : undefined;
  return (
    <div className="flex h-14 shrink-0 items-center gap-6 border-b border-line px-3 max-desktop:gap-4 max-tablet:gap-3 max-tablet:px-4">
      <MarketSelector />
      <span className="flex shrink-0 flex-col leading-tight">
        <span className="text-20 font-semibold max-tablet:text-15">
          <Price value={mark} decimals={grid.priceDecimals} hasFlash />
        </span>
        <span className="text-12 tablet:hidden">
          <Percent value={change} />
        </span>
      </span>
      <div className="scroll-row flex min-w-0 flex-1 items-center gap-6 max-desktop:gap-4 max-tablet:justify-end">
        <Fact label={t('perps.strip.oracle')} from="tablet">
          <Price value={ctx?.oraclePx} decimals={grid.priceDecimals} />
        </Fact>
        <Fact label={t(isYoung ? 'perps.strip.sinceStart' : 'perps.strip.change')} from="tablet">
          <Percent value={change} />
        </Fact>
        <Fact label={t('perps.strip.volume')} from="tablet">
          {inUsdc(ctx?.dayNtlVlm)}
        </Fact>
        <Fact label={t('perps.strip.openInterest')} from="laptop">
          {inUsdc(interest)}
        </Fact>
        <Funding rate={ctx?.funding} nextMs={ctx?.nextFundingTime} />
      </div>
      <span aria-hidden="true" className="shrink-0 text-12 text-muted max-desktop:hidden">
        {whoPays(ctx?.funding, t)}
      </span>
      {hasLayouts && <LayoutMenu />}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={t('alerts.of', { market: perp.name })}
        title={t('alerts.of', { market: perp.name })}
        onClick={() => showAlerts(coin)}
        className="flex size-8 shrink-0 items-center justify-center rounded text-muted hover:bg-raised hover:text-text max-tablet:hidden"
      >
        <svg viewBox="0 0 16 16" className="w-4" aria-hidden="true">
          <path
            d="M8 2a4 4 0 0 1 4 4c0 3 1 4.5 1.5 5.5h-11C3 10.5 4 9 4 6a4 4 0 0 1 4-4zM6.5 13.5h3"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.3"
          />
        </svg>
      </button>
    </div>
  );
}

function inUsdc(amount: string | undefined): string {
  return isDecimal(amount) ? `${compact(amount)} USDC` : compact(amount);
}

export function MarketInfo() {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const ctx = contexts.use(coin, (state) => state.ctx);
  const price = (text: string | undefined): string =>
    number(text, { decimals: grid.priceDecimals });
  const facts = [
    [t('perps.strip.mark'), price(ctx?.markPx)],
    [t('perps.strip.oracle'), price(ctx?.oraclePx)],
    [t('perps.strip.volume'), usdc(ctx?.dayNtlVlm)],
    [t('perps.strip.openInterest'), `${number(ctx?.openInterest)} ${perp.baseCurrency}`],
    [t('perps.strip.funding'), hourlyRate(ctx?.funding)],
    [t('perps.info.tick'), grid.tick],
    [t('perps.info.lot'), `${grid.lot} ${perp.baseCurrency}`],
    [t('perps.info.leverage'), `${perp.maxLeverage}×`],
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-y-2 p-4">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="text-end tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type FactProps = Readonly<{ label: string; from: keyof typeof FROM; children: ReactNode }>;

/** On a narrow tablet, the open interest would leave too little space for the funding rate. */
const FROM = { tablet: 'max-tablet:hidden', laptop: 'max-[920px]:hidden' } as const;

function Fact({ label, from, children }: FactProps) {
  return (
    <div className={`shrink-0 ${FROM[from]}`}>
      <p className="text-11 text-muted">{label}</p>
      <p className="text-13 tabular-nums">{children}</p>
    </div>
  );
}

type FundingProps = { readonly rate: string | undefined; readonly nextMs: number | undefined };

function Funding({ rate, nextMs }: FundingProps) {
  const t = useWords();
  const nowMs = useVenueSecond();
  const words = `${whoPays(rate, t)}. ${t('perps.strip.fundNote')}`;
  return (
    <Tooltip text={words}>
      <button type="button" className="shrink-0 cursor-default text-start">
        <span className="block text-11 text-muted">{t('perps.strip.fundingIn')}</span>
        <span className="block text-13 text-warning">
          {hourlyRate(rate)}
          <span className="text-text">
            {' '}
            · {nextMs === undefined ? '–' : countdown(nextMs - nowMs)}
          </span>
        </span>
        <span className="visually-hidden">{words}</span>
      </button>
    </Tooltip>
  );
}

function whoPays(rate: string | undefined, t: Words): string {
  const direction = isDecimal(rate) ? sign(rate) : 0;
  if (direction === 0) return t('perps.strip.nobodyPays');
  return t(direction > 0 ? 'perps.strip.longsPay' : 'perps.strip.shortsPay');
}

const SelectDialog = lazy(async () => ({
  default: (await import('./select-dialog.tsx')).SelectDialog,
}));

function MarketSelector() {
  const t = useWords();
  const { perp } = useTradedPerp();
  const [isOpen, setIsOpen] = useState(false);
  useHotkey('/', () => setIsOpen(true));
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={t('perps.select.open')}
        onClick={() => setIsOpen(true)}
        className="flex min-w-0 max-tablet:max-w-32 items-baseline gap-2 rounded whitespace-nowrap hover:text-accent"
      >
        <h1 className="flex min-w-0 gap-1 text-20 font-semibold max-tablet:text-15">
          <span className="truncate">{perp.name}</span>
          <span className="shrink-0">▾</span>
        </h1>
        <span className="text-12 text-muted max-tablet:hidden">{perp.maxLeverage}×</span>
      </button>
      <Suspense>{isOpen && <SelectDialog onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
