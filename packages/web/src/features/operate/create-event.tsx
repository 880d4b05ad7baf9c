import type { Client, RegisterEventParameters, RegisterMarketParameters } from '@oddlot/sdk';
import { useState } from 'react';
import { useWords } from '../../lib/words.ts';
import { venueNow } from '../../market/venue.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { TextArea, TextField } from '../../ui/text-field.tsx';
import { FormDialog } from './ask-dialog.tsx';
import { CONFIRMED, useOperation } from './operation.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { isDecimal } from '../../lib/decimal.ts';

/** A taker pays the rate of what the shares may still win or lose, not of what they cost. */
const UNITS = { takerFee: '× p × (1 − p)', delayMs: 'ms' } as const;
const NUMBERS = ['takerFee', 'delayMs'] as const;

type CreateEventProps = { readonly deployer: Client; readonly onClose: () => void };

export function CreateEvent({ deployer, onClose }: CreateEventProps) {
  const t = useWords();
  const [draft, setDraft] = useState(NEW_EVENT);
  // What a try has listed already is not listed again by the next one.
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
        // Of a slug that is known the texts change, so that a second try goes on where the first one stopped.
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

type FieldsProps = {
  readonly draft: EventDraft;
  readonly onChange: (part: Partial<EventDraft>) => void;
};

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
      <div className="mt-3 grid gap-3 tablet:grid-cols-2">
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
      <div className="mt-3 grid gap-3 tablet:grid-cols-2">
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

/** The markets of an event that is made: one question, or a set of them with short names. */
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
        // Markets have no name but their place until they are listed.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={isSet ? 'grid gap-3 tablet:grid-cols-[160px_1fr]' : ''}>
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

/** A market of an event: its question, and in a set of several its short name. */
type MarketDraft = { readonly question: string; readonly name: string };

type EventDraft = {
  readonly title: string;
  readonly markets: readonly MarketDraft[];
  readonly isExclusive: boolean;
  readonly category: string;
  readonly description: string;
  readonly source: string;
  /** `2026-11-15T20:00`, in UTC. */
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
/** The clock of this page may be ahead of the venue's: a market that opens at once began a little ago. */
const HEAD_START_MS = 5_000;

/** A text as part of an address: small letters, digits and dashes. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_MAX)
    .replaceAll(/^-+|-+$/g, '');
}

/** Milliseconds of what a field for date and time holds; undefined for less than that. */
export function timeOf(typed: string): number | undefined {
  const ms = Date.parse(`${typed}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The day is part of it: a known slug would change that event instead of making one. */
function slugWithDay(text: string, endTime: number): string | undefined {
  const slug = slugOf(text);
  return slug === '' ? undefined : `${slug}-${new Date(endTime).toISOString().slice(0, 10)}`;
}

/** The event that is sent; undefined while something is missing. */
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

/** Its markets; undefined while something is missing, or two of them would have one name. */
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
