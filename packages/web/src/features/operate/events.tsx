import type { Client, OutcomeMarketMeta } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { dateTime, wholeDate } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ConfirmButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { StackedTitle } from '../../ui/event-title.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useIsNarrow } from '../../ui/use-is-wide.ts';
import { CreateEvent } from './create-event.tsx';
import { CONFIRMED, type Operation, useOperation } from './operation.ts';
import { OperatedList } from './refusal.tsx';
import { number } from '../../lib/format.ts';
import { AskDialog, Facts, FormDialog } from './ask-dialog.tsx';
import { compare, isDecimal, subtract } from '../../lib/decimal.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { TextArea } from '../../ui/text-field.tsx';

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

type CloseMarketProps = {
  readonly deployer: Client;
  readonly market: OutcomeMarketMeta;
  readonly onClose: () => void;
};

/** Closes a market before its time. It never opens again, and holders wait for its result. */
function CloseMarket({ deployer, market, onClose }: CloseMarketProps) {
  const t = useWords();
  const operation = useOperation();
  const { end_time: ends, instrument_id: id, open_interest: pairs, question } = market;
  const close = async (): Promise<void> => {
    const isDone = await operation.operate(
      () =>
        deployer.exchange.outcomeDeploy.setTrading(
          { instrumentIds: [id], state: 'close' },
          CONFIRMED,
        ),
      t('operate.set.close', { question }),
    );
    if (isDone) onClose();
  };
  return (
    <AskDialog
      title={t('operate.closeTitle')}
      description={t('operate.closeHelp')}
      label={t('operate.closeSure')}
      operation={operation}
      onSend={() => void close()}
      onClose={onClose}
    >
      <p className="mb-3 break-words">{question}</p>
      <Facts
        facts={[
          { label: t('operate.openInterest'), value: t('operate.pairs', { size: number(pairs) }) },
          { label: t('operate.wouldClose'), value: dateTime(ends) },
        ]}
      />
    </AskDialog>
  );
}

const EVIDENCE_MAX = 2_000;
type Result = 'yes' | 'no' | 'void' | 'part';
/** A market that has no result pays both sides half. */
const HALF = '0.5';

const FRACTIONS = { yes: '1', no: '0', void: HALF } as const;

type ResolveProps = {
  readonly deployer: Client;
  readonly market: OutcomeMarketMeta;
  readonly onClose: () => void;
};

function Resolve({ deployer, market, onClose }: ResolveProps) {
  const t = useWords();
  const [result, setResult] = useState<Result>();
  const [part, setPart] = useState(HALF);
  const [evidence, setEvidence] = useState('');
  const operation = useOperation();
  const fraction = result === 'part' ? part : result === undefined ? HALF : FRACTIONS[result];
  const said = evidence.trim();
  const missing = missingOf(result, fraction, said);
  const [yes, no] = market.outcomes;
  const resolve = async (): Promise<void> => {
    const { instrument_id: instrumentId } = market;
    const isDone = await operation.operate(
      () =>
        deployer.exchange.outcomeDeploy.resolve(
          { instrumentId, settlementFraction: fraction, evidence: said },
          CONFIRMED,
        ),
      t('operate.resolved', { question: market.question }),
    );
    if (isDone) onClose();
  };
  return (
    <FormDialog
      title={t('operate.resolveTitle')}
      description={market.question}
      label={
        missing === undefined
          ? t('operate.resolveAt', {
              name: yes,
              pays: number(fraction),
              other: no,
              rest: number(subtract('1', fraction)),
            })
          : t(missing)
      }
      isReady={missing === undefined}
      operation={operation}
      onSend={() => void resolve()}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <Results market={market} value={result} onChange={setResult} />
        {result === 'part' && <Fraction name={yes} value={part} onChange={setPart} />}
        <TextArea
          label={t('operate.evidence')}
          value={evidence}
          maxLength={EVIDENCE_MAX}
          onChange={setEvidence}
        />
        <p className="text-12 text-muted">{t('operate.resolveHelp')}</p>
      </div>
    </FormDialog>
  );
}

type ResultsProps = {
  readonly market: OutcomeMarketMeta;
  readonly value: Result | undefined;
  readonly onChange: (result: Result) => void;
};

function Results({ market, value, onChange }: ResultsProps) {
  const t = useWords();
  const [yes, no] = market.outcomes;
  return (
    <Segmented<Result | ''>
      label={t('operate.result')}
      value={value ?? ''}
      onChange={(next) => next !== '' && onChange(next)}
      segments={[
        { value: 'yes', label: yes },
        { value: 'no', label: no },
        { value: 'void', label: t('operate.void') },
        { value: 'part', label: t('operate.part') },
      ]}
    />
  );
}

type FractionProps = {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

function Fraction({ name, value, onChange }: FractionProps) {
  const t = useWords();
  return (
    <NumberField
      label={t('operate.fraction', { name })}
      value={value}
      step="0.01"
      fault={isShare(value) ? undefined : t('operate.fractionFault')}
      onChange={onChange}
    />
  );
}

function isShare(text: string): boolean {
  return isDecimal(text) && compare(text, '0') >= 0 && compare(text, '1') <= 0;
}

function missingOf(
  result: Result | undefined,
  fraction: string,
  evidence: string,
): 'operate.chooseResult' | 'operate.giveFraction' | 'operate.giveEvidence' | undefined {
  if (result === undefined) return 'operate.chooseResult';
  if (!isShare(fraction)) return 'operate.giveFraction';
  return evidence === '' ? 'operate.giveEvidence' : undefined;
}
