import type {
  Client,
  OutcomeMarketMeta,
  RegisterEventParameters,
  RegisterMarketParameters,
} from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { compare, isDecimal, subtract } from '../../lib/decimal.ts';
import { dateTime, number, wholeDate } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { reader, venueNow } from '../../market/venue.ts';
import {
  Button,
  Checkbox,
  ConfirmButton,
  NumberField,
  Segmented,
  TextArea,
  TextField,
} from '../../ui/controls.tsx';
import { Badge, StackedTitle } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsNarrow } from '../../ui/styles.ts';
import { Table, type Column } from '../../ui/table.tsx';
import {
  AskDialog,
  CONFIRMED,
  Facts,
  FormDialog,
  OperatedList,
  useOperation,
  type Operation,
} from './operation.tsx';

const FILTER = { status: 'all', sortBy: 'newest', limit: 50 } as const;
const EVERY_MS = 5_000;

const ORDER = ['closed', 'halted', 'open', 'upcoming', 'resolved'] as const;

export function Events({ deployer }: { readonly deployer: Client | undefined }) {
  const t = useWords();
  const isNarrow = useIsNarrow();
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
      header: <span className="visually-hidden">{t('operate.acts')}</span>,
      align: 'right',
      width: '240px',
      // This width fits two buttons with German labels.
      tabletWidth: '180px',
      phoneWidth: '172px',
      cell: (market) => <MarketActs market={market} acts={acts} />,
    },
  ];
}

function MarketActs({
  market,
  acts: { deployer, isBusy, onClose, onResolve, operate },
}: Readonly<{ market: OutcomeMarketMeta; acts: Acts }>) {
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
          spokenLabels={{ label: actOn(t('operate.halt')), sure: actOn(t('operate.haltSure')) }}
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
const HALF = '0.5';

const FRACTIONS = { yes: '1', no: '0', void: HALF } as const;

type ResolveProps = Readonly<{ deployer: Client; market: OutcomeMarketMeta; onClose: () => void }>;

function Resolve({ deployer, market, onClose }: ResolveProps) {
  const t = useWords();
  const [result, setResult] = useState<Result>();
  const [part, setPart] = useState(HALF);
  const [evidence, setEvidence] = useState('');
  const operation = useOperation();
  const fraction = result === 'part' ? part : result === undefined ? HALF : FRACTIONS[result];
  const evidenceText = evidence.trim();
  const missing = missingOf(result, fraction, evidenceText);
  const [yes, no] = market.outcomes;
  const resolve = async (): Promise<void> => {
    const { instrument_id: instrumentId } = market;
    const isDone = await operation.operate(
      () =>
        deployer.exchange.outcomeDeploy.resolve(
          { instrumentId, settlementFraction: fraction, evidence: evidenceText },
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

type FractionProps = Readonly<{ name: string; value: string; onChange: (value: string) => void }>;

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

/** The taker fee is charged on p × (1 − p) rather than on the price. */
const UNITS = { takerFee: '× p × (1 − p)', delayMs: 'ms' } as const;
const NUMBERS = ['takerFee', 'delayMs'] as const;

function CreateEvent({ deployer, onClose }: Readonly<{ deployer: Client; onClose: () => void }>) {
  const t = useWords();
  const [draft, setDraft] = useState(NEW_EVENT);
  // Markets that have been listed are recorded, so that a retry does not list any of them twice.
  const [listed] = useState(() => new Set<string>());
  const operation = useOperation();
  const change = (part: Partial<EventDraft>): void => setDraft({ ...draft, ...part });
  const event = eventOf(draft, Math.floor(venueNow()));
  const markets = event && marketsOf(draft, event);
  const create = async (): Promise<void> => {
    if (event === undefined || markets === undefined) return;
    const { outcomeDeploy } = deployer.exchange;
    const isDone = await operation.operate(
      async () => {
        // Registering an existing slug only changes the event's texts, so a retry can resume after
        // the last successful step.
        let reply = await outcomeDeploy.registerEvent(event, CONFIRMED);
        for (const market of markets) {
          if (listed.has(market.slug)) continue;
          reply = await outcomeDeploy.registerMarket(market, CONFIRMED);
          listed.add(market.slug);
        }
        return reply;
      },
      t('operate.created', { title: event.title }),
    );
    if (isDone) onClose();
  };
  return (
    <FormDialog
      title={t('operate.createEvent')}
      description={t('operate.createEventHelp')}
      isWide
      label={t('operate.createEventDo')}
      isReady={markets !== undefined}
      operation={operation}
      onSend={() => void create()}
      onClose={onClose}
    >
      <Fields draft={draft} onChange={change} />
    </FormDialog>
  );
}

type FieldsProps = Readonly<{ draft: EventDraft; onChange: (part: Partial<EventDraft>) => void }>;

function Fields({ draft, onChange }: FieldsProps) {
  const t = useWords();
  return (
    <>
      <TextField
        label={t('operate.event.title')}
        value={draft.title}
        maxLength={300}
        placeholder={t('operate.event.titleExample')}
        onChange={(title) => onChange({ title })}
      />
      <MarketDrafts draft={draft} onChange={onChange} />
      <div className="mt-3 grid grid-cols-1 gap-3 tablet:grid-cols-2">
        <TextField
          label={t('operate.event.endsAt')}
          type="datetime-local"
          value={draft.endsAt}
          onChange={(endsAt) => onChange({ endsAt })}
        />
        <TextField
          label={t('operate.event.category')}
          value={draft.category}
          placeholder={t('operate.event.categoryExample')}
          onChange={(category) => onChange({ category })}
        />
      </div>
      <div className="mt-3 flex flex-col gap-3">
        <TextArea
          label={t('operate.event.description')}
          value={draft.description}
          onChange={(description) => onChange({ description })}
        />
        <TextField
          label={t('operate.event.source')}
          value={draft.source}
          placeholder={t('operate.event.sourceExample')}
          onChange={(source) => onChange({ source })}
        />
      </div>
      <div className="mt-3 grid grid-cols-1 gap-3 tablet:grid-cols-2">
        {NUMBERS.map((field) => (
          <NumberField
            key={field}
            label={t(`operate.event.${field}`)}
            value={draft[field]}
            unit={UNITS[field]}
            onChange={(value) => onChange({ [field]: value })}
          />
        ))}
      </div>
    </>
  );
}

type MarketDraftsProps = {
  readonly draft: EventDraft;
  readonly onChange: (part: Partial<EventDraft>) => void;
};

function MarketDrafts({ draft: { isExclusive, markets }, onChange }: MarketDraftsProps) {
  const t = useWords();
  const isSet = markets.length > 1;
  const set = (index: number, part: Partial<MarketDraft>): void =>
    onChange({
      markets: markets.map((market, at) => (at === index ? { ...market, ...part } : market)),
    });
  return (
    <div className="mt-3 flex flex-col gap-3">
      {markets.map((market, index) => (
        // Markets not yet listed are identified by their position. oxlint-disable-next-line
        // react/no-array-index-key
        <div
          key={index}
          className={isSet ? 'grid grid-cols-1 gap-3 tablet:grid-cols-[160px_1fr]' : ''}
        >
          {isSet && (
            <TextField
              label={t('operate.event.name')}
              value={market.name}
              onChange={(name) => set(index, { name })}
            />
          )}
          <TextField
            label={t('operate.event.question')}
            value={market.question}
            maxLength={300}
            onChange={(question) => set(index, { question })}
          />
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button size="small" onClick={() => onChange({ markets: [...markets, NEW_MARKET] })}>
          {t('operate.event.addMarket')}
        </Button>
        {isSet && (
          <>
            <Button size="small" onClick={() => onChange({ markets: markets.slice(0, -1) })}>
              {t('operate.event.dropMarket')}
            </Button>
            <Checkbox
              label={t('operate.event.isExclusive')}
              isOn={isExclusive}
              onChange={(isOn) => onChange({ isExclusive: isOn })}
            />
          </>
        )}
      </div>
    </div>
  );
}

type MarketDraft = { readonly question: string; readonly name: string };

type EventDraft = {
  readonly title: string;
  readonly markets: readonly MarketDraft[];
  readonly isExclusive: boolean;
  readonly category: string;
  readonly description: string;
  readonly source: string;
  readonly endsAt: string;
  readonly takerFee: string;
  readonly delayMs: string;
};

const NEW_MARKET: MarketDraft = { question: '', name: '' };

export const NEW_EVENT: EventDraft = {
  title: '',
  markets: [NEW_MARKET],
  isExclusive: true,
  category: '',
  description: '',
  source: '',
  endsAt: '',
  takerFee: '0.07',
  delayMs: '0',
};

const SLUG_MAX = 60;
/**
 * The start time is this many milliseconds earlier, because the browser's clock may be ahead of the
 * venue's.
 */
const HEAD_START_MS = 5_000;

export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_MAX)
    .replaceAll(/^-+|-+$/g, '');
}

export function timeOf(typed: string): number | undefined {
  const ms = Date.parse(`${typed}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

function slugWithDay(text: string, endTime: number): string | undefined {
  const slug = slugOf(text);
  return slug === '' ? undefined : `${slug}-${new Date(endTime).toISOString().slice(0, 10)}`;
}

export function eventOf(draft: EventDraft, nowMs: number): RegisterEventParameters | undefined {
  const [title, endTime] = [draft.title.trim(), timeOf(draft.endsAt)];
  if (endTime === undefined || endTime <= nowMs) return undefined;
  const slug = slugWithDay(title, endTime);
  if (slug === undefined) return undefined;
  return {
    slug,
    title,
    description: draft.description.trim(),
    category: draft.category.trim(),
    tags: [],
    image: null,
    icon: null,
    mutuallyExclusive: draft.isExclusive && draft.markets.length > 1,
    startTime: nowMs - HEAD_START_MS,
    endTime,
  };
}

export function marketsOf(
  draft: EventDraft,
  event: Pick<RegisterEventParameters, 'slug' | 'startTime' | 'endTime'>,
): readonly RegisterMarketParameters[] | undefined {
  const markets = draft.markets.map((market) => marketOf(draft, market, event));
  const found = markets.filter((market) => market !== undefined);
  const isDistinct = new Set(found.map(({ slug }) => slug)).size === markets.length;
  return isDistinct ? found : undefined;
}

function marketOf(
  { delayMs, description, markets, source, takerFee }: EventDraft,
  { name, question }: MarketDraft,
  event: Pick<RegisterEventParameters, 'slug' | 'startTime' | 'endTime'>,
): RegisterMarketParameters | undefined {
  const slug = slugWithDay(question, event.endTime);
  const isSet = markets.length > 1;
  if (slug === undefined || (isSet && name.trim() === '')) return undefined;
  if (!isDecimal(takerFee) || !/^\d{1,5}$/.test(delayMs)) return undefined;
  const { endTime, slug: eventSlug, startTime } = event;
  return {
    eventSlug,
    slug,
    question: question.trim(),
    groupTitle: isSet ? name.trim() : null,
    description: description.trim(),
    resolutionSource: source.trim(),
    outcomes: ['Yes', 'No'],
    startTime,
    endTime,
    priceTick: '0.01',
    sizeDecimals: 2,
    minOrderSize: '5',
    maxOrderSize: '100000',
    takerFeeRate: takerFee,
    orderDelayMs: Number(delayMs),
    underlying: null,
  };
}
