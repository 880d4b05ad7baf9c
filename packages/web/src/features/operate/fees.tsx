import type { Client, FeeTierRow } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { compare, isDecimal, magnitude, multiply, sign } from '../../lib/decimal.ts';
import { number, percent } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { Button, NumberField } from '../../ui/controls.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { AskDialog, CONFIRMED, NeedsRole, useOperation } from './operation.tsx';

const RATE_DECIMALS = 4;

export function Fees({ admin }: { readonly admin: Client | undefined }) {
  const t = useWords();
  const [isEditing, setIsEditing] = useState(false);
  const { data } = useQuery({
    queryKey: ['feeTierInfo'],
    queryFn: ({ signal }) => reader.info.feeTierInfo({}, { signal }),
  });
  if (data === undefined) return null;
  if (isEditing && admin !== undefined) {
    return <FeeEditor admin={admin} tiers={data.tiers} onClose={() => setIsEditing(false)} />;
  }
  return (
    <div>
      {admin === undefined && <NeedsRole who="admin" />}
      <div className="flex items-center gap-4 border-b border-line px-4 py-2">
        {admin !== undefined && (
          <Button onClick={() => setIsEditing(true)}>{t('operate.editTiers')}</Button>
        )}
        <p className="text-12 text-muted">{t('operate.feesHelp')}</p>
      </div>
      <div className="max-w-[640px]">
        <Table
          label={t('operate.tab.fees')}
          columns={columnsOf(t)}
          rows={data.tiers}
          rowKey={({ level }) => level}
          empty={<EmptyState title={t('operate.noTiers')} />}
        />
      </div>
    </div>
  );
}

function columnsOf(t: Words): readonly Column<FeeTierRow>[] {
  const rate = (id: 'perpMakerFeeRate' | 'perpTakerFeeRate'): Column<FeeTierRow> => ({
    id,
    header: t(`operate.tier.${id}`),
    align: 'right',
    phoneWidth: '88px',
    cell: (tier) => percent(tier[id], { decimals: RATE_DECIMALS }),
  });
  return [
    {
      id: 'level',
      header: t('operate.tier.level'),
      width: '80px',
      phoneWidth: '44px',
      cell: ({ level }) => level,
    },
    {
      id: 'volume',
      header: t('operate.tier.min14dTradingVolume'),
      align: 'right',
      phoneWidth: '132px',
      cell: ({ min14dTradingVolume: volume }) => number(volume),
    },
    rate('perpMakerFeeRate'),
    rate('perpTakerFeeRate'),
  ];
}

type FeeEditorProps = {
  readonly admin: Client;
  readonly tiers: readonly FeeTierRow[];
  readonly onClose: () => void;
};

function FeeEditor({ admin, tiers, onClose }: FeeEditorProps) {
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

type LevelProps = { readonly level: LevelDraft; readonly onChange: (level: LevelDraft) => void };

function Level({ level, onChange }: LevelProps) {
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

type ReplaceProps = {
  readonly admin: Client;
  readonly next: readonly FeeTierRow[];
  readonly changes: readonly LadderChange[];
  readonly onDone: () => void;
  readonly onClose: () => void;
};

function Replace({ admin, next, changes, onDone, onClose }: ReplaceProps) {
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

type LevelDraft = Readonly<{ level: number; volume: string; maker: string; taker: string }>;

const RATES = ['maker', 'taker'] as const;

/** The largest rate that can be entered, in percent. It catches rates entered in another unit. */
const RATE_MAX_PERCENT = '1';

export function draftOf(tiers: readonly FeeTierRow[]): readonly LevelDraft[] {
  return tiers.map(({ level, min14dTradingVolume, perpMakerFeeRate, perpTakerFeeRate }) => ({
    level,
    volume: min14dTradingVolume,
    maker: multiply(perpMakerFeeRate, '100'),
    taker: multiply(perpTakerFeeRate, '100'),
  }));
}

export function isTooLarge(rate: string): boolean {
  return isDecimal(rate) && compare(magnitude(rate), RATE_MAX_PERCENT) > 0;
}

export function tiersOf(levels: readonly LevelDraft[]): readonly FeeTierRow[] | undefined {
  const isWhole = levels.every(
    ({ maker, taker, volume }) =>
      isDecimal(volume) &&
      sign(volume) >= 0 &&
      [maker, taker].every((rate) => isDecimal(rate) && !isTooLarge(rate)),
  );
  if (!isWhole) return undefined;
  return levels.map(({ level, maker, taker, volume }) => ({
    level,
    min14dTradingVolume: volume,
    perpMakerFeeRate: multiply(maker, '0.01'),
    perpTakerFeeRate: multiply(taker, '0.01'),
  }));
}

type LadderChange =
  | { readonly kind: 'new' | 'gone'; readonly tier: FeeTierRow }
  | {
      readonly kind: 'changed';
      readonly level: number;
      readonly field: (typeof FIELDS)[number];
      readonly from: string;
      readonly to: string;
    };

const FIELDS = ['min14dTradingVolume', 'perpMakerFeeRate', 'perpTakerFeeRate'] as const;

export function changesOf(
  before: readonly FeeTierRow[],
  after: readonly FeeTierRow[],
): readonly LadderChange[] {
  const changes = after.flatMap((tier): LadderChange[] => {
    const old = before.find(({ level }) => level === tier.level);
    if (old === undefined) return [{ kind: 'new', tier }];
    const changed = FIELDS.filter((field) => compare(old[field], tier[field]) !== 0);
    return changed.map((field) => ({
      kind: 'changed',
      level: tier.level,
      field,
      from: old[field],
      to: tier[field],
    }));
  });
  const removed = before.filter(({ level }) => after.every((tier) => tier.level !== level));
  return [...changes, ...removed.map((tier) => ({ kind: 'gone' as const, tier }))];
}
