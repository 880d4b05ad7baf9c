import type { BuilderEarning } from '@oddlot/sdk';
import { cents } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { OnGrid } from '../../market/on-grid.tsx';
import { Money, Percent } from '../../ui/figure.tsx';
import type { Column } from '../../ui/table.tsx';
import { BuilderTable } from './builder-table.tsx';

const idOf = ({ marketType, orderId }: BuilderEarning) => `${marketType} ${orderId}`;

/** Orders that paid this builder, one row each. */
export function EarnedTable({ user }: { readonly user: string }) {
  const t = useWords();
  return (
    <BuilderTable<BuilderEarning>
      label={t('builder.tabEarned')}
      user={user}
      type="builderMeEarned"
      idOf={idOf}
      columnsOf={columnsOf}
      empty={{ title: t('builder.noEarned'), text: t('builder.noEarnedText') }}
    />
  );
}

function columnsOf(t: Words): readonly Column<BuilderEarning>[] {
  return [
    {
      id: 'market',
      header: t('builder.market'),
      cell: ({ instrumentName }) => (
        <span title={instrumentName} className="normal-nums">
          {instrumentName}
        </span>
      ),
    },
    {
      id: 'user',
      header: t('builder.user'),
      width: '140px',
      from: 'tablet',
      cell: ({ user }) => <span className="font-mono text-12">{user}</span>,
    },
    {
      id: 'price',
      header: t('builder.price'),
      align: 'right',
      from: 'desktop',
      cell: ({ instrumentName, marketType, price }) =>
        marketType === 'outcome' ? cents(price) : <OnGrid coin={instrumentName} value={price} />,
    },
    {
      id: 'volume',
      header: t('builder.volume'),
      align: 'right',
      from: 'tablet',
      cell: ({ notional }) => <Money value={notional} />,
    },
    {
      id: 'rate',
      header: t('builder.rate'),
      align: 'right',
      width: '90px',
      from: 'tablet',
      cell: ({ builderFeeRate }) => (
        <Percent value={builderFeeRate} decimals={3} isSigned={false} isColoured={false} />
      ),
    },
    {
      id: 'fee',
      header: t('builder.fee'),
      align: 'right',
      width: '110px',
      phoneWidth: '90px',
      cell: ({ builderFee }) => <Money value={builderFee} isSigned />,
    },
  ];
}
