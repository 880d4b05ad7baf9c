import type { Client } from '@oddlot/sdk';
import { useState } from 'react';
import { useWords } from '../../lib/words.ts';
import { venueNow } from '../../market/venue.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { eventOf, marketsOf, NEW_EVENT, type EventDraft } from './event-draft.ts';
import { FormDialog } from './form-dialog.tsx';
import { MarketDrafts } from './market-drafts.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

/** A taker pays the rate of what the shares may still win or lose, not of what they cost. */
const UNITS = { takerFee: '× p × (1 − p)', delayMs: 'ms' } as const;
const NUMBERS = ['takerFee', 'delayMs'] as const;

/** The form that lists an event with its markets. */
export function CreateEvent({
  deployer,
  onClose,
}: {
  readonly deployer: Client;
  readonly onClose: () => void;
}) {
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

function Fields({
  draft,
  onChange,
}: {
  readonly draft: EventDraft;
  readonly onChange: (part: Partial<EventDraft>) => void;
}) {
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
