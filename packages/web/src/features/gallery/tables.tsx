import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/figure.tsx';
import { Button } from '../../ui/button.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { compare } from '../../lib/decimal.ts';
import { Group } from './group.tsx';

type Row = { readonly id: number; readonly name: string; readonly pnl: string };

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', header: 'Market', cell: ({ name }) => name },
  {
    id: 'pnl',
    header: 'PnL',
    align: 'right',
    cell: ({ pnl }) => <Money value={pnl} isSigned isColoured />,
    compare: (a, b) => compare(a.pnl, b.pnl),
  },
];
const FEW: readonly Row[] = [
  { id: 1, name: 'BTC-USDC', pnl: '17.09' },
  { id: 2, name: 'SOL-USDC', pnl: '-2.42' },
];
const MANY: readonly Row[] = Array.from({ length: 5_000 }, (_, at) => ({
  id: at,
  name: `Row ${at}`,
  pnl: String(at - 2_500),
}));

export function Tables() {
  return (
    <Group title="Table">
      <div className="h-44 w-80 border border-line">
        <Table label="Few rows" columns={COLUMNS} rows={FEW} rowKey={({ id }) => id} empty={null} />
      </div>
      <div className="h-44 w-80 border border-line">
        <Table
          label="Many rows"
          columns={COLUMNS}
          rows={MANY}
          rowKey={({ id }) => id}
          empty={null}
        />
      </div>
      <div className="h-44 w-80 border border-line">
        <Table
          label="No rows"
          columns={COLUMNS}
          rows={[]}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              title="No open positions"
              text="A position appears here when an order fills."
              action={<Button size="small">Trade</Button>}
            />
          }
        />
      </div>
    </Group>
  );
}
