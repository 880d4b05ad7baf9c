import { useWords } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { NEW_MARKET, type EventDraft, type MarketDraft } from './event-draft.ts';

/** The markets of an event that is made: one question, or a set of them with short names. */
export function MarketDrafts({
  draft: { isExclusive, markets },
  onChange,
}: {
  readonly draft: EventDraft;
  readonly onChange: (part: Partial<EventDraft>) => void;
}) {
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
