import type { AssetPosition, OpenOrder } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import {
  createContext,
  useContext,
  useMemo,
  useState,
  type FormEvent,
  type ReactNode,
} from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { directionWord, OrderOrigin } from '../../../account-tables/cells.tsx';
import {
  REPORT_KEY,
  ReportButton,
  useReport,
} from '../../../account-tables/report/report-button.tsx';
import { keepText, readText } from '../../../lib/browser.ts';
import { compare, divide, isDecimal, sign, subtract } from '../../../lib/decimal.ts';
import { dateTime, number, percent } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { OnGrid, priceDecimals, SizeOnGrid } from '../../../market/cells.tsx';
import { usePerp } from '../../../market/queries.ts';
import { Button, NumberField, TextField } from '../../../ui/controls.tsx';
import { Dialog } from '../../../ui/overlays.tsx';
import { EmptyState, ErrorSentence } from '../../../ui/states.tsx';
import { classes, useIsNarrow } from '../../../ui/styles.ts';
import { ROW_PX, Stacked, Table, TWO_LINES_PX, type Column } from '../../../ui/table.tsx';
import { gridOf, useAct } from '../use-account.ts';

export function OrdersTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, orders } = openOrders.use(user, (state) => state);
  const { dialog, open } = useReport(user);
  const isPhone = useIsNarrow();
  const columns = useMemo(
    () => (isPhone ? phoneColumns(t, open) : columnsOf(user, t, open)),
    [isPhone, t, user, open],
  );
  return (
    <AmendingOrders>
      <Table
        label={t('perps.tables.orders')}
        columns={columns}
        rows={orders}
        rowKey={({ oid }) => oid}
        rowHeight={isPhone ? TWO_LINES_PX : ROW_PX}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        empty={
          isLoaded && (
            <EmptyState title={t('perps.empty.orders')} text={t('perps.empty.ordersText')} />
          )
        }
      />
      {dialog}
    </AmendingOrders>
  );
}

function columnsOf(
  user: string,
  t: Words,
  open: (oid: number) => void,
): readonly Column<OpenOrder>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      width: '120px',
      cell: ({ symbol }) => <MarketLink name={symbol} />,
    },
    {
      id: 'side',
      header: t('perps.column.side'),
      cell: (order) => <Side order={order} />,
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      align: 'right',
      cell: (order) => <LimitPrice order={order} onOpen={open} />,
    },
    {
      id: 'size',
      header: t('perps.column.size'),
      align: 'right',
      cell: (order) => <OriginalSize order={order} />,
    },
    ...endColumns(user, t),
    actionsColumn(t),
  ];
}

/** Returns the columns for a phone, which combine market with side, and price with size. */
function phoneColumns(t: Words, open: (oid: number) => void): readonly Column<OpenOrder>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      phoneWidth: '100px',
      cell: (order) => (
        <Stacked align="left" below={<Side order={order} />}>
          <MarketLink name={order.symbol} />
        </Stacked>
      ),
    },
    {
      id: 'price',
      header: t('perps.column.priceSize'),
      phoneWidth: '88px',
      align: 'right',
      cell: (order) => (
        <Stacked below={<OriginalSize order={order} />}>
          <LimitPrice order={order} onOpen={open} />
        </Stacked>
      ),
    },
    actionsColumn(t),
  ];
}

function Side({ order: { dir, side } }: { readonly order: OpenOrder }) {
  const t = useWords();
  return <SideWord side={side} text={directionWord(dir, t)} />;
}

type LimitPriceProps = Readonly<{ order: OpenOrder; onOpen: (oid: number) => void }>;

function LimitPrice({ order, onOpen }: LimitPriceProps) {
  return (
    <AmendField order={order} field="price">
      <ReportButton oid={order.oid} onOpen={onOpen}>
        <OnGrid coin={String(order.instrumentId)} value={order.limitPx} />
      </ReportButton>
    </AmendField>
  );
}

function OriginalSize({ order }: { readonly order: OpenOrder }) {
  return (
    <AmendField order={order} field="size">
      <SizeOnGrid coin={String(order.instrumentId)} value={order.origSz} />
    </AmendField>
  );
}

function endColumns(user: string, t: Words): readonly Column<OpenOrder>[] {
  return [
    {
      id: 'filled',
      header: t('perps.column.filled'),
      align: 'right',
      cell: ({ instrumentId, origSz, sz }) => (
        <SizeOnGrid coin={String(instrumentId)} value={subtract(origSz, sz)} />
      ),
    },
    {
      id: 'kind',
      header: t('perps.column.kind'),
      cell: (order) => (
        <span className="flex min-w-0 gap-2">
          <Kind order={order} />
          <OrderNote oid={order.oid} />
        </span>
      ),
    },
    {
      id: 'time',
      header: t('perps.column.time'),
      from: 'desktop',
      align: 'right',
      cell: (order) => (
        <OrderOrigin user={user} order={order}>
          {dateTime(order.timestamp)}
        </OrderOrigin>
      ),
    },
  ];
}

function actionsColumn(t: Words): Column<OpenOrder> {
  return {
    id: 'actions',
    header: <span className="visually-hidden">{t('perps.column.actions')}</span>,
    align: 'right',
    // This width fits both buttons with German labels.
    width: '164px',
    phoneWidth: '156px',
    cell: (order) => <OrderActions order={order} />,
  };
}

function OrderActions({ order }: { readonly order: OpenOrder }) {
  const t = useWords();
  const amending = useAmending(order.oid);
  const { act, canAct, isBusy } = useAct();
  const perp = usePerp(String(order.instrumentId));
  if (!canAct) return null;
  if (amending.draft !== undefined) return <AmendButtons order={order} />;
  const { instrumentId, limitPx, oid } = order;
  const decimals = perp && priceDecimals(perp);
  const words = { price: number(limitPx, { decimals }) };
  const cancel = (): void => {
    const cancels = [{ a: instrumentId, o: oid }];
    void act((trader) => trader.exchange.cancel({ cancels }, { confirm: 'executed' }));
  };
  return (
    <span className="inline-flex gap-1">
      <Button
        size="small"
        disabled={isBusy}
        aria-label={t('perps.amend.label', words)}
        onClick={() => amending.begin(order)}
      >
        {t('perps.amend.button')}
      </Button>
      <Button
        size="small"
        isBusy={isBusy}
        aria-label={t('perps.cancel.label', words)}
        onClick={cancel}
      >
        {t('perps.cancel.button')}
      </Button>
    </span>
  );
}

function Kind({ order: { expireTime, reduceOnly, tif } }: { readonly order: OpenOrder }) {
  const t = useWords();
  return (
    <span className="shrink-0 text-muted">
      {tif}
      {expireTime !== undefined && ` ${dateTime(expireTime)}`}
      {reduceOnly && ` · ${t('perps.ticket.reduceOnly')}`}
    </span>
  );
}

type Draft = { readonly order: OpenOrder; readonly price: string; readonly size: string };

type Amending = {
  readonly draft: Draft | undefined;
  readonly isBusy: boolean;
  readonly begin: (order: OpenOrder) => void;
  readonly change: (part: Partial<Draft>) => void;
  readonly leave: () => void;
  readonly save: () => void;
};

const AmendContext = createContext<Amending | undefined>(undefined);

function AmendingOrders({ children }: { readonly children: ReactNode }) {
  const [draft, setDraft] = useState<Draft>();
  const [fault, setFault] = useState<unknown>();
  const { act, isBusy } = useAct(setFault);
  const amending = useMemo((): Amending => {
    const put = (next: Draft | undefined): void => {
      setFault(undefined);
      setDraft(next);
    };
    return {
      draft,
      isBusy,
      begin: (order) => put({ order, price: order.limitPx, size: order.origSz }),
      change: (part) => draft !== undefined && put({ ...draft, ...part }),
      leave: () => put(undefined),
      save: () => {
        if (draft === undefined || !isChanged(draft)) return;
        setFault(undefined);
        const { order, price, size } = draft;
        const entry = { a: order.instrumentId, o: order.oid, p: price, s: size };
        void act((trader) => trader.exchange.modify2(entry, { confirm: 'executed' })).then(
          (reply) => reply !== undefined && setDraft(undefined),
        );
      },
    };
  }, [act, draft, isBusy]);
  return (
    <AmendContext value={amending}>
      {fault !== undefined && draft !== undefined && (
        <div className="px-4 py-1">
          <ErrorSentence
            error={fault}
            onRemedy={(remedy) => {
              if (remedy.kind !== 'useValue') return undefined;
              const { field, value } = remedy;
              return () => amending.change(field === 's' ? { size: value } : { price: value });
            }}
          />
        </div>
      )}
      {children}
    </AmendContext>
  );
}

function isChanged({ order, price, size }: Draft): boolean {
  if (![price, size].every((text) => isDecimal(text) && sign(text) > 0)) return false;
  return compare(price, order.limitPx) !== 0 || compare(size, order.origSz) !== 0;
}

function useAmending(oid: number): Amending {
  const amending = useContext(AmendContext);
  if (amending === undefined) throw new Error('There is no table of orders around this cell');
  return amending.draft?.order.oid === oid ? amending : { ...amending, draft: undefined };
}

type AmendFieldProps = Readonly<{ order: OpenOrder; field: 'price' | 'size'; children: ReactNode }>;

function AmendField({ order, field, children }: AmendFieldProps) {
  const t = useWords();
  const { change, draft, leave, save } = useAmending(order.oid);
  const perp = usePerp(String(order.instrumentId));
  if (draft === undefined || perp === undefined) return children;
  const grid = gridOf(perp);
  return (
    <div
      role="presentation"
      onKeyDown={({ key }) => key === 'Escape' && leave()}
      className="[&_label]:sr-only [&_input]:text-13 [&>div>div]:h-7 [&>div>div>span]:hidden"
    >
      <NumberField
        label={t(`perps.ticket.${field}`)}
        value={draft[field]}
        step={field === 'price' ? grid.tick : grid.lot}
        onChange={(value) => change({ [field]: value })}
        onEnter={save}
      />
    </div>
  );
}

function AmendButtons({ order }: { readonly order: OpenOrder }) {
  const t = useWords();
  const { draft, isBusy, leave, save } = useAmending(order.oid);
  return (
    <span className="inline-flex gap-1">
      <Button
        size="small"
        kind="accent"
        isBusy={isBusy}
        disabled={draft === undefined || !isChanged(draft)}
        onClick={save}
      >
        {t('perps.save')}
      </Button>
      <Button size="small" onClick={leave}>
        {t('perps.amend.leave')}
      </Button>
    </span>
  );
}

function OrderNote({ oid }: { readonly oid: number }) {
  const t = useWords();
  const note = useStore(notes, (all) => all[String(oid)] ?? '');
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        title={note === '' ? t('perps.note.add') : note}
        aria-label={t(note === '' ? 'perps.note.label' : 'perps.note.labelOf', { oid, note })}
        onClick={() => setIsOpen(true)}
        className="min-w-0 truncate rounded text-accent hover:underline"
      >
        {note === '' ? '✎' : <bdi>{note}</bdi>}
      </button>
      {isOpen && <Edit oid={oid} note={note} onClose={() => setIsOpen(false)} />}
    </>
  );
}

type EditProps = { readonly oid: number; readonly note: string; readonly onClose: () => void };

function Edit({ oid, note, onClose }: EditProps) {
  const t = useWords();
  const [typed, setTyped] = useState(note);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    writeNote(oid, typed);
    onClose();
  };
  return (
    <Dialog
      title={t('perps.note.title')}
      description={t('perps.note.text')}
      isOpen
      onClose={onClose}
    >
      <form className="flex flex-col gap-3" onSubmit={save}>
        <TextField
          label={t('perps.note.field')}
          value={typed}
          maxLength={NOTE_CHARS}
          onChange={setTyped}
        />
        <Button kind="accent" isWide type="submit">
          {t('perps.save')}
        </Button>
      </form>
    </Dialog>
  );
}

type Notes = Readonly<Record<string, string>>;

const KEY = 'oddlot.notes';
const NOTES_MAX = 500;
const NOTE_CHARS = 140;

const notes = createStore<Notes>(() => storedNotes());

function writeNote(oid: number, text: string): void {
  const { [String(oid)]: _, ...others } = notes.getState();
  const note = text.trim().slice(0, NOTE_CHARS);
  const all = Object.entries(note === '' ? others : { ...others, [String(oid)]: note });
  const newest = all.toSorted(([a], [b]) => Number(a) - Number(b)).slice(-NOTES_MAX);
  notes.setState(Object.fromEntries(newest), true);
  keepText(KEY, JSON.stringify(notes.getState()));
}

function storedNotes(): Notes {
  try {
    const found: unknown = JSON.parse(readText(KEY) ?? '{}');
    const entries = Object.entries(found as object).filter(([, text]) => typeof text === 'string');
    return Object.fromEntries(entries) as Notes;
  } catch {
    return {};
  }
}

type MarketLinkProps = { readonly name: string; readonly tone?: 'buy' | 'sell' | undefined };

export function MarketLink({ name, tone }: MarketLinkProps) {
  return (
    <Link
      to={`/trade/${name}`}
      search={(before: object) => before}
      title={name}
      className={classes(
        'block min-w-0 truncate hover:underline',
        tone === 'buy' && 'text-buy',
        tone === 'sell' && 'text-sell',
      )}
    >
      {name}
    </Link>
  );
}

export function SideWord({ side, text }: { readonly side: 'B' | 'A'; readonly text: ReactNode }) {
  return <span className={side === 'B' ? 'text-buy' : 'text-sell'}>{text}</span>;
}

type Props = { readonly position: AssetPosition['position'] };

export function LiquidationPrice({ position }: Props) {
  if (!isLiquidated(position)) return <span className="text-faint">–</span>;
  return <OnGrid coin={position.asset} value={position.liquidationPx} />;
}

export function LiquidationDistance({ position }: Props) {
  const { liquidationPx, markPx } = position;
  if (!isLiquidated(position) || !isDecimal(markPx)) return null;
  const distance = divide(subtract(liquidationPx, markPx), markPx, 6);
  return <span>{percent(distance, { decimals: 1, isSigned: true })}</span>;
}

function isLiquidated({ liquidationPx }: Props['position']): boolean {
  return isDecimal(liquidationPx) && sign(liquidationPx) > 0;
}

const LIGHTS = [1, 2, 3, 4, 5];

export function AdlLights({ quantile }: { readonly quantile: number }) {
  const t = useWords();
  const text = t('perps.adl.rank', { rank: quantile });
  return (
    <span className="inline-flex items-center gap-px" role="img" aria-label={text} title={text}>
      {LIGHTS.map((light) => (
        <span
          key={light}
          className={classes('h-2.5 w-1', light <= quantile ? 'bg-warning' : 'bg-line')}
        />
      ))}
    </span>
  );
}
