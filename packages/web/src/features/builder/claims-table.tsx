import type { BuilderClaim } from '@oddlot/sdk';
import { short } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Money } from '../../ui/figure.tsx';
import type { Column } from '../../ui/table.tsx';
import { BuilderTable } from './builder-table.tsx';

const idOf = ({ txHash }: BuilderClaim) => txHash;

/** What was claimed, and when. */
export function ClaimsTable({ user }: { readonly user: string }) {
  const t = useWords();
  return (
    <BuilderTable<BuilderClaim>
      label={t('builder.tabClaimed')}
      user={user}
      type="builderMeClaimed"
      idOf={idOf}
      columnsOf={columnsOf}
      empty={{ title: t('builder.noClaims'), text: t('builder.noClaimsText') }}
    />
  );
}

function columnsOf(t: Words): readonly Column<BuilderClaim>[] {
  return [
    {
      id: 'hash',
      header: t('builder.hash'),
      cell: ({ txHash }) => (
        <span className="font-mono text-12" title={txHash}>
          {short(txHash)}
        </span>
      ),
    },
    {
      id: 'amount',
      header: t('builder.amount'),
      align: 'right',
      cell: ({ amount }) => <Money value={amount} isSigned />,
    },
  ];
}
