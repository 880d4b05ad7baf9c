import type { Client, RegisterPerpParameters } from '@oddlot/sdk';
import { useState } from 'react';
import { isDecimal, multiply } from '../../lib/decimal.ts';
import { percent } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { FormDialog } from './ask-dialog.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

const NUMBERS = [
  'priceTick',
  'maxOrderSize',
  'takerFee',
  'makerFee',
  'impactNotional',
] as const satisfies readonly (keyof PerpDraft)[];

type ListPerpProps = { readonly admin: Client; readonly onClose: () => void };

export function ListPerp({ admin, onClose }: ListPerpProps) {
  const t = useWords();
  const [draft, setDraft] = useState(NEW_PERP);
  const operation = useOperation();
  const change = (part: Partial<PerpDraft>): void => setDraft({ ...draft, ...part });
  const perp = perpOf(draft);
  const list = async (): Promise<void> => {
    if (perp === undefined) return;
    const isDone = await operation.operate(
      () => admin.exchange.venueAdmin.registerPerp(perp, CONFIRMED),
      t('operate.listed', { name: perp.name }),
    );
    if (isDone) onClose();
  };
  return (
    <FormDialog
      title={t('operate.listPerp')}
      description={t('operate.listPerpHelp')}
      isWide
      label={
        perp === undefined ? t('operate.listPerp') : t('operate.listNamed', { name: perp.name })
      }
      isReady={perp !== undefined}
      operation={operation}
      onSend={() => void list()}
      onClose={onClose}
    >
      <Fields draft={draft} onChange={change} />
    </FormDialog>
  );
}

type FieldsProps = {
  readonly draft: PerpDraft;
  readonly onChange: (part: Partial<PerpDraft>) => void;
};

function Fields({ draft, onChange }: FieldsProps) {
  const t = useWords();
  return (
    <>
      <div className="mb-3">
        <TextField
          label={t('operate.perp.base')}
          value={draft.base}
          placeholder="DOGE"
          maxLength={32}
          onChange={(base) => onChange({ base })}
        />
      </div>
      <div className="grid gap-3 tablet:grid-cols-2">
        <NumberField
          label={t('operate.perp.szDecimals')}
          value={draft.szDecimals}
          min="-4"
          step="1"
          onChange={(szDecimals) => onChange({ szDecimals })}
        />
        {NUMBERS.map((field) => (
          <NumberField
            key={field}
            label={t(`operate.perp.${field}`)}
            value={draft[field]}
            unit={unitOf(field, draft)}
            min={field === 'makerFee' ? '-1' : '0'}
            onChange={(value) => onChange({ ...draft, [field]: value })}
          />
        ))}
      </div>
      <h3 className="mt-4 mb-2 text-13 font-medium">{t('operate.perp.tiers')}</h3>
      <Tiers tiers={draft.tiers} onChange={(tiers) => onChange({ tiers })} />
      <div className="mt-3">
        <Checkbox
          label={t('operate.perp.onlyIsolated')}
          isOn={draft.onlyIsolated}
          onChange={(onlyIsolated) => onChange({ onlyIsolated })}
        />
      </div>
    </>
  );
}

/** What a number is of; of a fraction the same in percent. */
function unitOf(field: (typeof NUMBERS)[number], draft: PerpDraft): string {
  if (field === 'takerFee' || field === 'makerFee') return inPercent(draft[field]) ?? '';
  if (field === 'maxOrderSize') return draft.base.trim().toUpperCase();
  return 'USDC';
}

const RATE_DECIMALS = 3;

function inPercent(fraction: string): string | undefined {
  return isDecimal(fraction) ? `= ${percent(fraction, { decimals: RATE_DECIMALS })}` : undefined;
}

type TiersProps = {
  readonly tiers: readonly TierDraft[];
  readonly onChange: (tiers: readonly TierDraft[]) => void;
};

function Tiers({ tiers, onChange }: TiersProps) {
  const t = useWords();
  const set = (index: number, part: Partial<TierDraft>): void =>
    onChange(tiers.map((tier, at) => (at === index ? { ...tier, ...part } : tier)));
  return (
    <div className="flex flex-col gap-2">
      {tiers.map((tier, index) => (
        // Tiers have no name but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="grid gap-3 tablet:grid-cols-3">
          {(['maxSize', 'maxLeverage', 'mmr'] as const).map((field) => (
            <NumberField
              key={field}
              label={t(`operate.perp.${field}`)}
              value={tier[field]}
              unit={field === 'mmr' ? inPercent(tier.mmr) : undefined}
              onChange={(value) => set(index, { [field]: value })}
            />
          ))}
        </div>
      ))}
      <div className="flex gap-2">
        <Button size="small" onClick={() => onChange([...tiers, NEW_TIER])}>
          {t('operate.perp.addTier')}
        </Button>
        {tiers.length > 1 && (
          <Button size="small" onClick={() => onChange(tiers.slice(0, -1))}>
            {t('operate.perp.dropTier')}
          </Button>
        )}
      </div>
    </div>
  );
}

type PerpDraft = {
  readonly base: string;
  readonly szDecimals: string;
  readonly priceTick: string;
  readonly maxOrderSize: string;
  readonly takerFee: string;
  readonly makerFee: string;
  readonly impactNotional: string;
  readonly onlyIsolated: boolean;
  readonly tiers: readonly TierDraft[];
};

type TierDraft = { readonly maxSize: string; readonly maxLeverage: string; readonly mmr: string };

export const NEW_TIER: TierDraft = { maxSize: '', maxLeverage: '', mmr: '' };

export const NEW_PERP: PerpDraft = {
  base: '',
  szDecimals: '2',
  priceTick: '0.01',
  maxOrderSize: '10000',
  takerFee: '0.00045',
  makerFee: '0.00015',
  impactNotional: '6000',
  onlyIsolated: false,
  tiers: [{ maxSize: '100000', maxLeverage: '20', mmr: '0.025' }],
};

/** What is sent of it; undefined while something is missing. What does not fit together, the venue says. */
export function perpOf(draft: PerpDraft): RegisterPerpParameters | undefined {
  const base = draft.base.trim().toUpperCase();
  const { impactNotional, makerFee, maxOrderSize, priceTick, takerFee, tiers } = draft;
  const numbers = [
    impactNotional,
    makerFee,
    maxOrderSize,
    priceTick,
    takerFee,
    ...tiers.flatMap(({ maxLeverage, maxSize, mmr }) => [maxLeverage, maxSize, mmr]),
  ];
  const isWhole = /^-?\d$/.test(draft.szDecimals);
  if (base === '' || !isWhole || !numbers.every(isDecimal)) return undefined;
  return {
    name: `${base}-USDC`,
    baseCurrency: base,
    quoteCurrency: 'USDC',
    perpType: 'linear',
    szDecimals: Number(draft.szDecimals),
    priceTick,
    bookTicks: [priceTick, multiply(priceTick, '10'), multiply(priceTick, '100')],
    maxLimitOrderSize: maxOrderSize,
    maxMarketOrderSize: maxOrderSize,
    takerFeeRate: takerFee,
    makerFeeRate: makerFee,
    onlyIsolated: draft.onlyIsolated,
    impactNotional,
    marginTable: {
      tiers: tiers.map(({ maxLeverage, maxSize, mmr }, index) => ({
        tier: index + 1,
        minSize: tiers[index - 1]?.maxSize ?? '0',
        maxSize,
        maxLeverage: Number(maxLeverage),
        mmr,
      })),
    },
  };
}
