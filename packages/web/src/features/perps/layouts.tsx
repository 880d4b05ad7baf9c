import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { useWords } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Sheet } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AccountBox } from './account-box.tsx';
import { BookPanel } from './book/book-panel.tsx';
import { ChartPanel } from './chart/chart-panel.tsx';
import { useTradedPerp } from './traded-perp.ts';
import { MarketInfo } from './market-strip.tsx';
import { TablesPanel } from './tables/tables-panel.tsx';
import { TapePanel } from './tape-panel.tsx';
import { changeDraft } from './ticket/draft.ts';
import { Ticket } from './ticket/ticket.tsx';
import { useKept } from './use-kept.ts';

const TABLES_MIN_PX = 240;
const CHART_MIN_PX = 260;

/** Chart, book and ticket in columns, tables below; on a wide desk book and tape stand side by side. */
export function DesktopLayout({ isWide }: { readonly isWide: boolean }) {
  const t = useWords();
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_320px]">
      <Split below={<TablesPanel />}>
        <div className="flex h-full min-h-0">
          <div className="min-w-0 flex-1">
            <ChartPanel />
          </div>
          {isWide ? (
            <>
              <div className="w-70 border-s border-line">
                <BookPanel title={t('perps.book.title')} />
              </div>
              <div className="flex w-60 flex-col border-s border-line">
                <TapePanel title={t('perps.tape.title')} />
              </div>
            </>
          ) : (
            <div className="flex w-[300px] flex-col border-s border-line">
              <div className="min-h-0 flex-[2_1_0]">
                <BookPanel title={t('perps.book.title')} />
              </div>
              <div className="flex min-h-0 flex-[1_1_0] flex-col border-t border-line">
                <TapePanel title={t('perps.tape.title')} />
              </div>
            </div>
          )}
        </div>
      </Split>
      <div className="min-h-0 overflow-y-auto border-s border-line">
        <Ticket />
        <AccountBox />
      </div>
    </div>
  );
}

/** As on a desk, with the ticket in a drawer and book and tape behind each other. */
export function TabletLayout() {
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="min-h-0 flex-1">
        <Split below={<TablesPanel />}>
          <div className="flex h-full min-h-0">
            <div className="min-w-0 flex-1">
              <ChartPanel />
            </div>
            <div className="w-64 border-s border-line">
              <BookAndTape />
            </div>
          </div>
        </Split>
      </div>
      <TradeBar />
    </div>
  );
}

type PhoneTab = 'chart' | 'book' | 'trades' | 'info';

/** One panel at a time, what the account has below it, and the two buttons at the thumb. */
export function PhoneLayout() {
  const t = useWords();
  const [tab, setTab] = useState<PhoneTab>('chart');
  const contents: Readonly<Record<PhoneTab, ReactNode>> = {
    chart: <ChartPanel />,
    book: <BookPanel />,
    trades: <TapePanel />,
    info: <MarketInfo />,
  };
  return (
    <>
      <div className="h-[52dvh] shrink-0">
        <Tabs
          label={t('perps.phone.label')}
          value={tab}
          onChange={setTab}
          tabs={(['chart', 'book', 'trades', 'info'] as const).map((value) => ({
            value,
            label: t(`perps.phone.${value}`),
            content: contents[value],
          }))}
        />
      </div>
      <div className="min-h-60 flex-1 border-t border-line">
        <TablesPanel />
      </div>
      <TradeBar />
    </>
  );
}

/** Opens the ticket on one side. */
function TradeBar() {
  const t = useWords();
  const { perp } = useTradedPerp();
  const [isOpen, setIsOpen] = useState(false);
  const open = (side: 'buy' | 'sell'): void => {
    changeDraft({ side });
    setIsOpen(true);
  };
  return (
    <div className="sticky bottom-0 z-20 grid shrink-0 grid-cols-2 gap-2 border-t border-line bg-panel p-2">
      <Button kind="buy" size="large" onClick={() => open('buy')}>
        {t('perps.ticket.oneWay.buy')}
      </Button>
      <Button kind="sell" size="large" onClick={() => open('sell')}>
        {t('perps.ticket.oneWay.sell')}
      </Button>
      <Sheet title={perp.name} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <div className="-m-3">
          <Ticket isInSheet />
          <AccountBox />
        </div>
      </Sheet>
    </div>
  );
}

function BookAndTape() {
  const t = useWords();
  const [tab, setTab] = useKept<'book' | 'trades'>('bookTab', 'book');
  return (
    <Tabs
      label={t('perps.book.tabs')}
      value={tab}
      onChange={setTab}
      tabs={[
        { value: 'book', label: t('perps.book.title'), content: <BookPanel /> },
        { value: 'trades', label: t('perps.tape.title'), content: <TapePanel /> },
      ]}
    />
  );
}

/** Two panels over each other with an edge that can be moved. */
function Split({ children, below }: { readonly children: ReactNode; readonly below: ReactNode }) {
  const t = useWords();
  const [height, setHeight] = useKept('tablesHeight', TABLES_MIN_PX);
  const change = (next: number): void =>
    setHeight(
      Math.round(Math.min(Math.max(TABLES_MIN_PX, next), innerHeight - CHART_MIN_PX - 104)),
    );
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'ArrowUp') change(height + 16);
    if (key === 'ArrowDown') change(height - 16);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const bottom = event.currentTarget.parentElement?.getBoundingClientRect().bottom ?? 0;
    change(bottom - event.clientY);
  };
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <div className="min-h-0 flex-1">{children}</div>
      <div
        role="separator"
        tabIndex={0}
        aria-orientation="horizontal"
        aria-label={t('perps.split')}
        aria-valuenow={height}
        aria-valuemin={TABLES_MIN_PX}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
        className="relative h-px shrink-0 cursor-row-resize touch-none bg-line before:absolute before:inset-x-0 before:-top-1 before:h-2 hover:bg-accent"
      />
      <div className="min-h-0 shrink-0" style={{ height }}>
        {below}
      </div>
    </div>
  );
}
