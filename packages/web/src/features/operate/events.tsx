import type { Client, OutcomeMarketMeta } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { dateTime, wholeDate } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { StackedTitle } from '../../ui/event-title.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { useIsNarrow } from '../../ui/use-is-wide.ts';
import { CloseMarket } from './close-market.tsx';
import { CreateEvent } from './create-event.tsx';
import { CONFIRMED, useOperation, type Operation } from './operation.ts';
import { OperatedList } from './operated-list.tsx';
import { Resolve } from './resolve.tsx';

/** The newest events; older ones are found by their address. */
const FILTER = { status: 'all', sortBy: 'newest', limit: 50 } as const;
const EVERY_MS = 5_000;

/** The order of phases: what waits for its operator comes first. */
const ORDER = ['closed', 'halted', 'open', 'upcoming', 'resolved'] as const;

/** Markets of events; a deployer creates, halts, closes and resolves them. Series look after themselves. */
export function Events({ deployer }: { readonly deployer: Client | undefined }) {
  const t = useWords();
  const isNarrow = useIsNarrow();
  // Markets open and close by themselves, and whoever operates them waits for it.
  const { data } = useQuery({
    queryKey: ['outcomeMeta', 'operate'],
    queryFn: ({ signal }) => reader.info.outcomeMeta(FILTER, { signal }),
    refetchInterval: EVERY_MS,
  });
  const operation = useOperation();
  const { isBusy, operate } = operation;
  const [isCreating, setIsCreating] = useState(false);
  const [resolving, setResolving] = useState<OutcomeMarketMeta>();
  const [closing, setClosing] = useState<OutcomeMarketMeta>();
  const markets = useMemo(
    () =>
      (data?.events ?? [])
        .filter(({ series_slug: series }) => series === null)
        .flatMap((event) => event.markets)
        .sort((left, right) => ORDER.indexOf(left.phase) - ORDER.indexOf(right.phase)),
    [data],
  );
  const columns = useMemo(
    () =>
      columnsOf(
        t,
        deployer && { deployer, isBusy, operate, onResolve: setResolving, onClose: setClosing },
      ),
    [t, deployer, isBusy, operate],
  );
  return (
    <OperatedList
      who="deployer"
      isOperator={deployer !== undefined}
      add={t('operate.createEvent')}
      help={t('operate.eventsHelp')}
      error={operation.error}
      onAdd={() => setIsCreating(true)}
    >
      <Table
        label={t('operate.tab.events')}
        columns={columns}
        rows={markets}
        rowKey={({ instrument_id: id }) => id}
        rowHeight={isNarrow ? 60 : 44}
        empty={
          data === undefined ? null : (
            <EmptyState title={t('operate.noEvents')} text={t('operate.noEventsText')} />
          )
        }
      />
      {deployer !== undefined && isCreating && (
        <CreateEvent deployer={deployer} onClose={() => setIsCreating(false)} />
      )}
      {deployer !== undefined && resolving !== undefined && (
        <Resolve deployer={deployer} market={resolving} onClose={() => setResolving(undefined)} />
      )}
      {deployer !== undefined && closing !== undefined && (
        <CloseMarket deployer={deployer} market={closing} onClose={() => setClosing(undefined)} />
      )}
    </OperatedList>
  );
}

type Acts = Pick<Operation, 'isBusy' | 'operate'> & {
  readonly deployer: Client;
  readonly onResolve: (market: OutcomeMarketMeta) => void;
  readonly onClose: (market: OutcomeMarketMeta) => void;
};

function columnsOf(t: Words, acts: Acts | undefined): readonly Column<OutcomeMarketMeta>[] {
  const columns: Column<OutcomeMarketMeta>[] = [
    {
      id: 'question',
      header: t('operate.question'),
      cell: ({ end_time: ends, event_slug: slug, phase, question }) => (
        <>
          <Link to={`/events/${slug}`} title={question} className="hover:underline">
            <StackedTitle title={question} />
          </Link>
          <span className="block truncate text-11 text-muted tablet:hidden">
            {t(`operate.phase.${phase}`)} · {dateTime(ends)}
          </span>
        </>
      ),
    },
    {
      id: 'phase',
      header: t('operate.state'),
      width: '104px',
      from: 'tablet',
      cell: ({ phase }) => (
        <Badge tone={phase === 'closed' || phase === 'halted' ? 'warning' : 'plain'}>
          {t(`operate.phase.${phase}`)}
        </Badge>
      ),
    },
    {
      id: 'ends',
      header: t('operate.ends'),
      width: '140px',
      from: 'tablet',
      cell: ({ end_time: ends }) => (
        <span className="text-muted" title={wholeDate(ends)}>
          {dateTime(ends)}
        </span>
      ),
    },
  ];
  if (acts === undefined) return columns;
  return [
    ...columns,
    {
      id: 'acts',
      header: <span className="heard">{t('operate.acts')}</span>,
      align: 'right',
      width: '240px',
      tabletWidth: '160px',
      phoneWidth: '148px',
      cell: (market) => <MarketActs market={market} acts={acts} />,
    },
  ];
}

function MarketActs({
  market,
  acts: { deployer, isBusy, onClose, onResolve, operate },
}: {
  readonly market: OutcomeMarketMeta;
  readonly acts: Acts;
}) {
  const t = useWords();
  const { instrument_id: id, phase, question } = market;
  const set = (state: 'open' | 'halt'): void => {
    const { setTrading } = deployer.exchange.outcomeDeploy;
    void operate(
      () => setTrading({ instrumentIds: [id], state }, CONFIRMED),
      t(`operate.set.${state}`, { question }),
    );
  };
  if (phase === 'resolved') return null;
  if (phase === 'closed') {
    return (
      <Button
        size="small"
        kind="accent"
        aria-label={t('operate.actOn', { act: t('operate.resolve'), question })}
        onClick={() => onResolve(market)}
      >
        {t('operate.resolve')}
      </Button>
    );
  }
  const actOn = (act: string): string => t('operate.actOn', { act, question });
  return (
    <span className="flex justify-end gap-2">
      {phase === 'open' ? (
        <ConfirmButton
          size="small"
          label={t('operate.halt')}
          sure={t('operate.haltSure')}
          heard={{ label: actOn(t('operate.halt')), sure: actOn(t('operate.haltSure')) }}
          isDisabled={isBusy}
          onConfirm={() => set('halt')}
        />
      ) : (
        <Button
          size="small"
          disabled={isBusy}
          aria-label={actOn(t('operate.open'))}
          onClick={() => set('open')}
        >
          {t('operate.open')}
        </Button>
      )}
      <Button size="small" aria-label={actOn(t('operate.close'))} onClick={() => onClose(market)}>
        {t('operate.close')}
      </Button>
    </span>
  );
}
