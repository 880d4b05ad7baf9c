import { useQuery } from '@tanstack/react-query';
import type { Client, FeeTierRow } from '@oddlot/sdk';
import { useState } from 'react';
import { number, percent } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { reader } from '../../market/venue.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { FeeEditor } from './fee-editor.tsx';
import { NeedsRole } from './needs-role.tsx';

const RATE_DECIMALS = 4;

/** The ladder of fees; an admin replaces it whole. */
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
