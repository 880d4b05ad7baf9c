import { useQuery } from '@tanstack/react-query';
import type { Client, FeeTierRow } from '@oddlot/sdk';
import { useState } from 'react';
import { isDecimal } from '../../lib/decimal.ts';
import { number, percent } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { NeedsRole } from './needs-role.tsx';
import { CONFIRMED, useOperation } from './operation.ts';

const FIELDS = ['min14dTradingVolume', 'perpMakerFeeRate', 'perpTakerFeeRate'] as const;
const RATE_DECIMALS = 4;

/** The ladder of fees; an admin replaces it whole. */
export function Fees({ admin }: { readonly admin: Client | undefined }) {
  const t = useWords();
  const [draft, setDraft] = useState<readonly FeeTierRow[]>();
  const { data } = useQuery({
    queryKey: ['feeTierInfo'],
    queryFn: ({ signal }) => reader.info.feeTierInfo({}, { signal }),
  });
  if (data === undefined) return null;
  if (draft !== undefined && admin !== undefined) {
    return <Editor admin={admin} tiers={draft} onChange={setDraft} />;
  }
  return (
    <div>
      {admin === undefined && <NeedsRole who="admin" />}
      <div className="flex items-center gap-4 border-b border-line px-4 py-2">
        {admin !== undefined && (
          <Button onClick={() => setDraft(data.tiers)}>{t('operate.editTiers')}</Button>
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
    cell: (tier) => percent(tier[id], { decimals: RATE_DECIMALS }),
  });
  return [
    { id: 'level', header: t('operate.tier.level'), width: '80px', cell: ({ level }) => level },
    {
      id: 'volume',
      header: t('operate.tier.min14dTradingVolume'),
      align: 'right',
      cell: ({ min14dTradingVolume: volume }) => number(volume),
    },
    rate('perpMakerFeeRate'),
    rate('perpTakerFeeRate'),
  ];
}

function Editor({
  admin,
  tiers,
  onChange,
}: {
  readonly admin: Client;
  readonly tiers: readonly FeeTierRow[];
  readonly onChange: (tiers: readonly FeeTierRow[] | undefined) => void;
}) {
  const t = useWords();
  const { error, isBusy, operate } = useOperation();
  const isReady = tiers.every((tier) => FIELDS.every((field) => isDecimal(tier[field])));
  const save = async (): Promise<void> => {
    const isDone = await operate(
      () =>
        admin.exchange.venueAdmin.setFeeTiers(
          { exchangeId: 0, tiers: tiers.map((tier) => ({ ...tier })) },
          CONFIRMED,
        ),
      t('operate.tiersSet'),
    );
    if (isDone) onChange(undefined);
  };
  const last = tiers.at(-1);
  return (
    <div className="flex max-w-[720px] flex-col gap-3 p-4">
      {tiers.map((tier, index) => (
        <fieldset key={tier.level} className="grid grid-cols-3 gap-3">
          <legend className="text-12 text-muted">
            {t('operate.tier.level')} {tier.level}
          </legend>
          {FIELDS.map((field) => (
            <NumberField
              key={field}
              label={t(`operate.tier.${field}`)}
              value={tier[field]}
              min={field === 'min14dTradingVolume' ? '0' : '-1'}
              onChange={(value) =>
                onChange(
                  tiers.map((each, at) => (at === index ? { ...each, [field]: value } : each)),
                )
              }
            />
          ))}
        </fieldset>
      ))}
      <div className="flex flex-wrap gap-2">
        {last !== undefined && (
          <Button onClick={() => onChange([...tiers, { ...last, level: last.level + 1 }])}>
            {t('operate.addTier')}
          </Button>
        )}
        {tiers.length > 1 && (
          <Button onClick={() => onChange(tiers.slice(0, -1))}>{t('operate.dropTier')}</Button>
        )}
      </div>
      {error !== undefined && <ErrorSentence error={error} />}
      <div className="flex gap-2">
        <Button kind="accent" isBusy={isBusy} disabled={!isReady} onClick={() => void save()}>
          {t('operate.saveTiers')}
        </Button>
        <Button onClick={() => onChange(undefined)}>{t('operate.discard')}</Button>
      </div>
    </div>
  );
}
