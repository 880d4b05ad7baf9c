import { useMemo } from 'react';
import type { AssetPosition } from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Table } from '../../../ui/table.tsx';
import { positionKey, useAccountState, usePositions } from '../use-account.ts';
import { useWidth } from '../use-width.ts';
import { positionColumns } from './position-columns.tsx';
import { TakenNote } from './taken-note.tsx';

/** Rows of one line where all columns have room beside each other, else of two. */
const [ROW_PX, TWO_LINES_PX] = [32, 44];

export function PositionsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const isLoaded = useAccountState() !== undefined;
  const rows = usePositions();
  const isWide = useWidth() === 'wide';
  const columns = useMemo(() => positionColumns(isWide, t), [isWide, t]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <TakenNote user={user} />
      <div className="min-h-0 flex-1">
        <Table<AssetPosition>
          label={t('perps.tables.positions')}
          columns={columns}
          rows={rows}
          rowKey={positionKey}
          rowHeight={isWide ? ROW_PX : TWO_LINES_PX}
          empty={
            isLoaded && (
              <EmptyState
                title={t('perps.empty.positions')}
                text={t('perps.empty.positionsText')}
              />
            )
          }
        />
      </div>
    </div>
  );
}
