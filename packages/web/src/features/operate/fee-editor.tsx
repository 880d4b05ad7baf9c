import type { Client, FeeTierRow } from '@oddlot/sdk';
import { useState } from 'react';
import { number, percent } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { AskDialog } from './ask-dialog.tsx';
import {
  changesOf,
  draftOf,
  isTooLarge,
  RATES,
  RATE_MAX_PERCENT,
  tiersOf,
  type LadderChange,
  type LevelDraft,
} from './fee-draft.ts';
import { CONFIRMED, useOperation } from './operation.ts';

/** The ladder with its rates in percent; it is asked once more, with what it changes, before it is replaced. */
export function FeeEditor({
  admin,
  tiers,
  onClose,
}: {
  readonly admin: Client;
  /** The ladder that holds now. */
  readonly tiers: readonly FeeTierRow[];
  readonly onClose: () => void;
}) {
  const t = useWords();
  const [levels, setLevels] = useState(() => draftOf(tiers));
  const [isAsking, setIsAsking] = useState(false);
  const next = tiersOf(levels);
  const changes = next === undefined ? [] : changesOf(tiers, next);
  const last = levels.at(-1);
  return (
    <div className="flex max-w-[720px] flex-col gap-3 p-4">
      {levels.map((level, index) => (
        <Level
          key={level.level}
          level={level}
          onChange={(changed) =>
            setLevels(levels.map((each, at) => (at === index ? changed : each)))
          }
        />
      ))}
      <div className="flex flex-wrap gap-2">
        {last !== undefined && (
          <Button onClick={() => setLevels([...levels, { ...last, level: last.level + 1 }])}>
            {t('operate.addTier')}
          </Button>
        )}
        {levels.length > 1 && (
          <Button onClick={() => setLevels(levels.slice(0, -1))}>{t('operate.dropTier')}</Button>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="accent" disabled={changes.length === 0} onClick={() => setIsAsking(true)}>
          {t('operate.saveTiers')}
        </Button>
        <Button onClick={onClose}>{t('operate.discard')}</Button>
        {next !== undefined && changes.length === 0 && (
          <span className="text-12 text-muted">{t('operate.sameLadder')}</span>
        )}
      </div>
      {isAsking && next !== undefined && (
        <Replace
          admin={admin}
          next={next}
          changes={changes}
          onDone={onClose}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}

function Level({
  level,
  onChange,
}: {
  readonly level: LevelDraft;
  readonly onChange: (level: LevelDraft) => void;
}) {
  const t = useWords();
  return (
    <fieldset className="grid min-w-0 gap-3 tablet:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)_minmax(0,1fr)]">
      <legend className="mb-1 text-12 text-muted">
        {t('operate.tier.level')} {level.level}
      </legend>
      <NumberField
        label={t('operate.tier.volumeFrom')}
        value={level.volume}
        unit="USDC"
        onChange={(volume) => onChange({ ...level, volume })}
      />
      {RATES.map((rate) => (
        <NumberField
          key={rate}
          label={t(`operate.tier.${rate}`)}
          value={level[rate]}
          min={`-${RATE_MAX_PERCENT}`}
          unit="%"
          fault={isTooLarge(level[rate]) ? t('operate.rateFault') : undefined}
          onChange={(value) => onChange({ ...level, [rate]: value })}
        />
      ))}
    </fieldset>
  );
}

function Replace({
  admin,
  next,
  changes,
  onDone,
  onClose,
}: {
  readonly admin: Client;
  readonly next: readonly FeeTierRow[];
  readonly changes: readonly LadderChange[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const operation = useOperation();
  const replace = async (): Promise<void> => {
    const isDone = await operation.operate(
      () =>
        admin.exchange.venueAdmin.setFeeTiers(
          { exchangeId: 0, tiers: next.map((tier) => ({ ...tier })) },
          CONFIRMED,
        ),
      t('operate.tiersSet'),
    );
    if (isDone) onDone();
  };
  return (
    <AskDialog
      title={t('operate.replaceTitle')}
      description={t('operate.replaceHelp')}
      label={t('operate.replaceSure')}
      isDangerous={false}
      operation={operation}
      onSend={() => void replace()}
      onClose={onClose}
    >
      <ul className="flex flex-col gap-1 tabular-nums">
        {changes.map((change) => {
          const text = changeText(change, t);
          return <li key={text}>{text}</li>;
        })}
      </ul>
    </AskDialog>
  );
}

/** All decimals of it: a change must not vanish by rounding. */
function wholeRate(fraction: string): string {
  return percent(fraction, { decimals: undefined });
}

function changeText(change: LadderChange, t: Words): string {
  if (change.kind !== 'changed') {
    const { level, min14dTradingVolume, perpMakerFeeRate, perpTakerFeeRate } = change.tier;
    return t(change.kind === 'new' ? 'operate.levelNew' : 'operate.levelGone', {
      level,
      volume: number(min14dTradingVolume),
      maker: wholeRate(perpMakerFeeRate),
      taker: wholeRate(perpTakerFeeRate),
    });
  }
  const { field, from, level, to } = change;
  if (field === 'min14dTradingVolume') {
    return t('operate.levelVolume', { level, from: number(from), to: number(to) });
  }
  return t(field === 'perpMakerFeeRate' ? 'operate.levelMaker' : 'operate.levelTaker', {
    level,
    from: wholeRate(from),
    to: wholeRate(to),
  });
}
