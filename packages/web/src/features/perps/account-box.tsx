import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { ActiveAssetData, ClearinghouseState } from '@oddlot/sdk';
import { divide, multiply, subtract, sum } from '../../lib/decimal.ts';
import { number, percent } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { accountStates } from '../../market/account.ts';
import { crossUse, hasReached } from '../../market/margin-use.ts';
import { useSession } from '../../session/session.ts';
import { classes } from '../../ui/classes.ts';
import { Money } from '../../ui/figure.tsx';
import { preferences } from '../../ui/preferences.ts';
import { useTradedPerp } from './traded-perp.ts';
import { useDraft } from './ticket/draft.ts';
import { useAccountState, useAssetData } from './use-account.ts';

/** What there is to trade with, how near it is to its end, and the ways for money. Under the ticket. */
export function AccountBox() {
  const t = useWords();
  const user = useSession()?.address;
  const { coin } = useTradedPerp();
  const asset = useAssetData(coin);
  const state = useAccountState();
  if (user === undefined) return null;
  return (
    <section
      aria-label={t('perps.box.label')}
      className="flex flex-col gap-3 border-t border-line p-3 text-12"
    >
      <h2 className="flex items-baseline justify-between text-13">
        {t('perps.box.label')}
        <span className="text-11 text-muted">USDC</span>
      </h2>
      <MarginBar state={state} />
      <Perps state={state} asset={asset} />
      <Outcomes user={user} />
      <Ways />
    </section>
  );
}

/** From nothing to the point of liquidation. */
function MarginBar({ state }: { readonly state: ClearinghouseState | undefined }) {
  const t = useWords();
  const warnFrom = useStore(preferences, ({ marginShownFrom }) => marginShownFrom);
  const use = state && crossUse(state);
  const isNear = use !== undefined && hasReached(use, warnFrom);
  const shown = use === undefined ? t('perps.box.noCross') : percent(use.share, { decimals: 1 });
  return (
    <div>
      <p className="flex justify-between gap-2">
        <span className="text-muted">{t('perps.box.ratio')}</span>
        <span className={classes('tabular-nums', isNear && 'text-warning')}>
          {state === undefined ? '–' : shown}
        </span>
      </p>
      <div
        role="meter"
        aria-label={t('perps.box.ratio')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={use === undefined ? 0 : Number(multiply(use.share, '100'))}
        aria-valuetext={shown}
        className="mt-1 h-1.5 overflow-hidden rounded bg-raised"
      >
        <div
          className={classes('h-full', isNear ? 'bg-warning' : 'bg-accent')}
          style={{ width: `${use === undefined ? '0' : multiply(use.share, '100')}%` }}
        />
      </div>
      <p className="mt-0.5 text-end text-11 text-muted">{t('perps.box.end')}</p>
    </div>
  );
}

function Perps({
  state,
  asset,
}: {
  readonly state: ClearinghouseState | undefined;
  readonly asset: ActiveAssetData | undefined;
}) {
  const t = useWords();
  const { side } = useDraft();
  const summary = state?.marginSummary;
  const leverage =
    summary === undefined ? undefined : divide(summary.totalNtlPos, summary.accountValue, 4);
  const pnl = state && sum(state.assetPositions.map(({ position }) => position.unrealizedPnl));
  return (
    <dl className="flex flex-col gap-1">
      <Line label={t('perps.box.equity')}>
        <Money value={summary?.accountValue} />
      </Line>
      <Line label={t('perps.box.free')}>
        <Money value={asset?.availableToTrade[side === 'buy' ? 0 : 1]} />
      </Line>
      <Line label={t('perps.box.withdrawable')}>
        <Money value={state?.withdrawable} />
      </Line>
      <Line label={t('perps.box.maintenance')}>
        <Money value={state?.crossMaintenanceMarginUsed} />
      </Line>
      <Line label={t('perps.box.leverage')}>
        {leverage === undefined ? '–' : `${number(leverage, { decimals: 2 })}×`}
      </Line>
      <Line label={t('perps.box.pnl')}>
        <Money value={pnl} isSigned isColoured />
      </Line>
    </dl>
  );
}

/** The other part of the account: money there cannot be margin here until it is moved. */
function Outcomes({ user }: { readonly user: string }) {
  const t = useWords();
  const state = accountStates.use({ user, accountType: 'outcome' }, (account) => account.state);
  const cash = state?.withdrawable;
  const shares = state && sum(state.assetPositions.map(({ position }) => position.positionValue));
  const held =
    state === undefined || cash === undefined || shares === undefined
      ? undefined
      : subtract(subtract(state.marginSummary.accountValue, cash), shares);
  return (
    <dl className="flex flex-col gap-1 border-t border-line pt-3">
      <Line label={t('perps.box.cash')}>
        <Money value={cash} />
      </Line>
      <Line label={t('perps.box.shares')}>
        <Money value={shares} />
      </Line>
      {held !== undefined && Number(held) > 0 && (
        <Line label={t('perps.box.reserved')}>
          <Money value={held} />
        </Line>
      )}
    </dl>
  );
}

const WAYS = ['deposit', 'transfer', 'withdraw'] as const;

/** Each opens its own form. */
function Ways() {
  const t = useWords();
  const session = useSession();
  if (session === undefined || session.kind === 'spectator') return null;
  return (
    <p className="grid grid-cols-3 gap-2">
      {WAYS.map((way) => (
        <Link
          key={way}
          to="/account"
          search={{ tab: 'money', do: way } as object}
          className="flex h-8 items-center justify-center rounded border border-line bg-raised hover:border-faint"
        >
          {t(`perps.box.way.${way}`)}
        </Link>
      ))}
    </p>
  );
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex justify-between gap-2">
      <dt className="text-muted">{label}</dt>
      <dd className="tabular-nums">{children}</dd>
    </div>
  );
}
