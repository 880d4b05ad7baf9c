import type { SettlementHealth, VenueHealth, VenueOracle, VenueStatus } from '@oddlot/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { texts } from 'words:operate';
import { useStore } from 'zustand';
import { usePageTitle } from '../../lib/browser.ts';
import { compare, magnitude, sign } from '../../lib/decimal.ts';
import { money, NOTHING, number, short } from '../../lib/format.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { OnGrid } from '../../market/cells.tsx';
import { tickers } from '../../market/streams.ts';
import { connection } from '../../market/venue.ts';
import { Button, Tabs } from '../../ui/controls.tsx';
import { Badge, Money, Stat } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Events } from './events.tsx';
import { Fees } from './fees.tsx';
import { Gates } from './gates.tsx';
import {
  putOperatorKeyAway,
  useHealth,
  useOperator,
  useReserves,
  useStatus,
  type OperatorBlocker,
  type Operator,
} from './operation.tsx';
import { Operators } from './operators.tsx';
import { Perps } from './perps.tsx';

addWords(texts);

const TABS = ['health', 'perps', 'events', 'gates', 'fees', 'operators'] as const;

export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.operate'));
  const { data: status, error } = useStatus();
  return (
    <div className="flex min-h-full flex-col bg-panel">
      {status !== undefined && <Panels status={status} />}
      {status === undefined && error !== null && (
        <EmptyState isScreen title={t('operate.unknown')} text={t('operate.unknownText')} />
      )}
    </div>
  );
}

function Panels({ status }: { readonly status: VenueStatus }) {
  const t = useWords();
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const tab = TABS.find((each) => each === search['tab']) ?? 'health';
  const operator = useOperator(status);
  const { admin, deployer } = operator;
  const contents = {
    health: <Health status={status} />,
    perps: <Perps admin={admin} />,
    events: <Events deployer={deployer} />,
    gates: <Gates gates={status.gates} admin={admin} />,
    fees: <Fees admin={admin} />,
    operators: <Operators status={status} admin={admin} />,
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-3">
        <h1 className="text-20 font-semibold">{t('nav.operate')}</h1>
        <WhoActs operator={operator} />
      </div>
      <div className="min-h-80 flex-1">
        <Tabs
          label={t('nav.operate')}
          value={tab}
          onChange={(next) => {
            void navigate({ to: '/operate', search: { tab: next }, replace: true });
          }}
          tabs={TABS.map((value) => ({
            value,
            label: t(`operate.tab.${value}`),
            content: contents[value],
          }))}
        />
      </div>
    </>
  );
}

const OpenKey = lazy(async () => ({ default: (await import('./open-key.tsx')).OpenKey }));

export function WhoActs({ operator }: { readonly operator: Operator }) {
  const t = useWords();
  const [isOpening, setIsOpening] = useState(false);
  const { address, hindrance, isAdmin, isByKey, isDeployer } = operator;
  return (
    <>
      {address !== undefined && hindrance === undefined && (
        <span className="flex flex-wrap items-center gap-2 text-12">
          <span className="font-mono text-muted max-tablet:hidden">{short(address)}</span>
          {isAdmin && <Badge tone="accent">{t('operate.youAdmin')}</Badge>}
          {isDeployer && <Badge tone="accent">{t('operate.youDeployer')}</Badge>}
        </span>
      )}
      <span className="ms-auto">
        {isByKey ? (
          <Button size="small" onClick={putOperatorKeyAway}>
            {t('operate.putKeyAway')}
          </Button>
        ) : (
          hindrance !== undefined && (
            <Button size="small" onClick={() => setIsOpening(true)}>
              {t('operate.openKey')}
            </Button>
          )
        )}
      </span>
      <p className="w-full text-12 text-muted">
        {hindrance === undefined
          ? t(isByKey ? 'operate.introKey' : 'operate.intro')
          : hindranceText(hindrance, t)}
      </p>
      {isOpening && (
        <Suspense fallback={null}>
          <OpenKey onClose={() => setIsOpening(false)} />
        </Suspense>
      )}
    </>
  );
}

function hindranceText(hindrance: OperatorBlocker, t: Words): string {
  switch (hindrance.why) {
    case 'nobody':
      return t('operate.hindrance.nobody');
    case 'notOperator':
      return t('operate.hindrance.notOperator', { address: short(hindrance.address) });
    case 'noKey':
      return t('operate.hindrance.noKey', { address: short(hindrance.address) });
    case 'chain':
      return t('operate.hindrance.chain', { own: hindrance.own, venue: hindrance.venue });
  }
}

const PERPS = { accountType: 'perp' } as const;

function Health({ status }: { readonly status: VenueStatus }) {
  const t = useWords();
  const byCoin = tickers.use(PERPS, ({ byId }) => byId);
  const prices = useMemo(
    () => new Map([...byCoin.values()].map(({ coin, oraclePx }) => [coin, oraclePx])),
    [byCoin],
  );
  const columns = useMemo(() => columnsOf(t, prices), [t, prices]);
  return (
    <div className="grid min-h-0 desktop:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
      <div className="min-w-0 border-line desktop:border-e">
        <ProcessFigures />
        <Section title={t('operate.money')}>
          <MoneyFigures status={status} />
        </Section>
        <Section title={t('operate.settlement')}>
          <SettlementFigures />
        </Section>
      </div>
      <section aria-label={t('operate.oracles')} className="min-w-0">
        <Title>{t('operate.oracles')}</Title>
        <Table
          label={t('operate.oracles')}
          columns={columns}
          rows={status.oracles}
          rowKey={({ coin }) => coin}
          empty={<EmptyState title={t('operate.noPerps')} />}
        />
      </section>
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="border-t border-line">
      <Title>{title}</Title>
      {children}
    </section>
  );
}

function Title({ children }: { readonly children: ReactNode }) {
  return <h2 className="px-4 pt-3 pb-1 text-13 font-medium">{children}</h2>;
}

function MoneyFigures({ status }: { readonly status: VenueStatus }) {
  const t = useWords();
  const { accounts, insuranceFund, insuranceTarget, openWithdrawals, queuedOrders } = status;
  const isShort = compare(insuranceFund, insuranceTarget) < 0;
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 px-4 pt-1 pb-4 tablet:grid-cols-3">
      <Stat
        label={t('operate.fund')}
        note={isShort ? <span className="text-warning">{t('operate.fundShort')}</span> : undefined}
      >
        <Money value={insuranceFund} />
      </Stat>
      <Stat label={t('operate.target')}>
        <Money value={insuranceTarget} />
      </Stat>
      <Stat label={t('operate.treasury')}>
        <Money value={status.treasury} />
      </Stat>
      <Stat label={t('operate.accounts')}>{number(String(accounts))}</Stat>
      <Stat label={t('operate.queue')}>{number(String(queuedOrders))}</Stat>
      <Stat label={t('operate.withdrawals')}>{number(String(openWithdrawals))}</Stat>
    </dl>
  );
}

function columnsOf(t: Words, prices: ReadonlyMap<string, string>): readonly Column<VenueOracle>[] {
  return [
    {
      id: 'coin',
      header: t('operate.market'),
      cell: ({ coin }) => <span className="normal-nums">{coin}</span>,
    },
    {
      id: 'price',
      header: t('operate.price'),
      align: 'right',
      width: '128px',
      phoneWidth: '96px',
      cell: ({ coin }) => {
        const price = prices.get(coin);
        return price === undefined ? NOTHING : <OnGrid coin={coin} value={price} />;
      },
    },
    {
      id: 'state',
      header: t('operate.state'),
      width: '112px',
      phoneWidth: '84px',
      cell: ({ stale, trading }) =>
        !trading ? (
          <Badge>{t('operate.notTrading')}</Badge>
        ) : stale ? (
          <Badge tone="warning">{t('operate.stale')}</Badge>
        ) : (
          <span className="text-muted">{t('operate.fresh')}</span>
        ),
    },
    {
      id: 'age',
      header: t('operate.age'),
      align: 'right',
      width: '96px',
      phoneWidth: '72px',
      cell: ({ ageMs }) =>
        ageMs === null ? t('operate.never') : t('operate.seconds', { seconds: secondsOf(ageMs) }),
    },
  ];
}

const SECOND_MS = 1_000;

function ProcessFigures() {
  const t = useWords();
  const { data: health } = useHealth();
  const isLost = useStore(connection, (state) => state.status === 'lost');
  return (
    <dl className="grid min-h-[132px] grid-cols-2 gap-x-6 gap-y-4 px-4 py-4 tablet:grid-cols-3">
      {health !== undefined && (
        <>
          <Stat
            label={t('operate.height')}
            isLarge
            note={<Readiness health={health} isLost={isLost} />}
          >
            {number(String(health.height))}
          </Stat>
          <Stat label={t('operate.blockAge')} isLarge>
            {ageText(health.blockAgeMs, t)}
          </Stat>
          <Stat label={t('operate.subscribers')} isLarge>
            {number(String(socketsOf(health)))}
          </Stat>
          <Stat label={t('operate.streams')}>{number(String(health.streams))}</Stat>
          <Stat label={t('operate.waiting')}>{number(String(health.waitingCommands))}</Stat>
          <Stat label={t('operate.historyLag')}>
            {t('operate.blocks', { count: health.historyLag })}
          </Stat>
        </>
      )}
    </dl>
  );
}

type ReadinessProps = { readonly health: VenueHealth; readonly isLost: boolean };

function Readiness({ health: { failing, ready }, isLost }: ReadinessProps) {
  const t = useWords();
  if (isLost) return <span className="text-warning">{t('header.offline')}</span>;
  if (ready && failing.length === 0) return t('operate.isReady');
  const reasons = failing.map((name) => t(`operate.failing.${name}`)).join(', ');
  return (
    <span className="text-warning" title={reasons}>
      {t(ready ? 'operate.isDegraded' : 'operate.isNotReady', { failing: reasons })}
    </span>
  );
}

function ageText(ms: number, t: Words): string {
  return ms < SECOND_MS
    ? t('operate.agoMs', { ms: Math.round(ms) })
    : t('operate.agoS', { seconds: secondsOf(ms) });
}

function secondsOf(ms: number): string {
  return number(String(ms / SECOND_MS), { decimals: 1 });
}

function socketsOf({ connections: { apiWs, ws, wsRtds } }: VenueHealth): number {
  return ws + apiWs + wsRtds;
}

function SettlementFigures() {
  const t = useWords();
  const { data: health } = useHealth();
  if (health === undefined) return <div className="h-16" />;
  if (health.settlement === null) {
    return <p className="px-4 pt-1 pb-4 text-12 text-muted">{t('operate.noChain')}</p>;
  }
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 px-4 pt-1 pb-4 tablet:grid-cols-3">
      <ReserveFigures />
      <ChainFigures chain={health.settlement} />
    </dl>
  );
}

function ReserveFigures() {
  const t = useWords();
  const { data: reserves } = useReserves();
  const current = reserves?.current ?? undefined;
  const isShort = current !== undefined && sign(current.difference) < 0;
  const note =
    current === undefined
      ? t('operate.reservesUnread')
      : isShort
        ? t('operate.uncovered', { amount: money(magnitude(current.difference)) })
        : t('operate.covered');
  return (
    <>
      <Stat
        label={t('operate.owed')}
        note={<span className={isShort ? 'text-warning' : ''}>{note}</span>}
      >
        <Money value={current?.owed} />
      </Stat>
      <Stat label={t('operate.held')}>
        <Money value={current?.balance} />
      </Stat>
      <Stat label={t('operate.unbacked')}>
        <Money value={current?.unbacked} />
      </Stat>
    </>
  );
}

function ChainFigures({ chain }: { readonly chain: SettlementHealth }) {
  const t = useWords();
  const { chainId, current, head, paused, readTo, state } = chain;
  const isWell = state === 'ok';
  return (
    <>
      <Stat label={t('operate.bridgeState')} note={`${t('operate.chain')} ${chainId}`}>
        <span className={paused === true ? 'text-warning' : ''}>
          {t(paused === true ? 'operate.bridgePaused' : 'operate.bridgeOpen')}
        </span>
      </Stat>
      <Stat
        label={t('operate.chainRead')}
        note={
          current
            ? t('operate.chainCurrent')
            : t('operate.chainHead', { head: number(String(head)) })
        }
      >
        {number(String(readTo))}
      </Stat>
      <Stat label={t('operate.chainState')}>
        <span className={isWell ? '' : 'text-warning'}>
          {isWell ? t('operate.chainOk') : state}
        </span>
      </Stat>
    </>
  );
}
