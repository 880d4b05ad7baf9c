import {
  Fragment,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { useWords } from '../../../lib/words.ts';
import { Menu } from '../../../ui/overlays.tsx';
import { classes } from '../../../ui/styles.ts';
import {
  docked,
  moved,
  panelsOf,
  resized,
  without,
  type LayoutNode,
  type PanelId,
  type Side,
} from './layout.ts';

type PanelsProps = {
  readonly layout: LayoutNode;
  readonly onChange: (layout: LayoutNode) => void;
  readonly render: (panel: PanelId) => ReactNode;
  /** True if panels can be moved and closed. */
  readonly isMovable?: boolean;
};

/** Shows panels in rows and columns. Dragging the lines between them resizes them. */
export function Panels(props: PanelsProps) {
  const [drag, setDrag] = useState<Drag>();
  return <Node {...props} node={props.layout} path={[]} drag={drag} onDrag={setDrag} />;
}

/** A panel that is being dragged, and the position under the pointer. */
type Drag = {
  readonly panel: PanelId;
  readonly beside?: PanelId | undefined;
  readonly side?: Side | undefined;
};

type NodeProps = PanelsProps & {
  readonly node: LayoutNode;
  readonly path: readonly number[];
  readonly drag: Drag | undefined;
  readonly onDrag: (drag: Drag | undefined) => void;
};

function Node(props: NodeProps) {
  const { layout, node, onChange, path } = props;
  if ('panel' in node) return <Leaf {...props} panel={node.panel} />;
  const isRow = node.split === 'row';
  return (
    <div className={classes('flex h-full min-h-0 w-full min-w-0', !isRow && 'flex-col')}>
      {node.nodes.map((each, at) => (
        <Fragment key={panelsOf(each).join(' ')}>
          {at > 0 && (
            <Line
              isRow={isRow}
              before={node.nodes[at - 1]!}
              after={each}
              onResize={(target, size) =>
                onChange(resized(layout, [...path, target === 'before' ? at - 1 : at], size))
              }
            />
          )}
          <div
            data-node=""
            style={{ flex: each.size === undefined ? '1 1 0px' : `0 1 ${each.size}px` }}
            className={classes('relative overflow-hidden', isRow ? 'min-w-40' : 'min-h-24')}
          >
            <Node {...props} node={each} path={[...path, at]} />
          </div>
        </Fragment>
      ))}
    </div>
  );
}

type LineProps = {
  readonly isRow: boolean;
  readonly before: LayoutNode;
  readonly after: LayoutNode;
  readonly onResize: (target: 'before' | 'after', size: number) => void;
};

const STEP_PX = 16;
const LEAST_PX = 96;

function Line({ isRow, before, after, onResize }: LineProps) {
  const t = useWords();
  const line = useRef<HTMLDivElement>(null);
  // A node that fills the remaining space is not resized, so that only one size is stored.
  const target = after.size === undefined && before.size !== undefined ? 'before' : 'after';
  const measure = (which: 'before' | 'after'): number => {
    const element =
      which === 'before' ? line.current?.previousElementSibling : line.current?.nextElementSibling;
    const box = element?.getBoundingClientRect();
    return (isRow ? box?.width : box?.height) ?? 0;
  };
  const resize = (by: number): void => {
    const both = measure('before') + measure('after');
    const now = (target === 'before' ? before.size : after.size) ?? measure(target);
    const next = now + (target === 'before' ? by : -by);
    onResize(target, Math.round(Math.min(Math.max(LEAST_PX, next), both - LEAST_PX)));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [less, more] = isRow ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    resize(event.key === less ? -STEP_PX : STEP_PX);
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.getBoundingClientRect();
    resize(isRow ? event.clientX - box.left : event.clientY - box.top);
  };
  const names = (node: LayoutNode): string =>
    panelsOf(node)
      .map((panel) => t(`perps.layout.panel.${panel}`))
      .join(', ');
  return (
    <div
      ref={line}
      role="separator"
      tabIndex={0}
      aria-orientation={isRow ? 'vertical' : 'horizontal'}
      aria-label={t('perps.layout.between', { before: names(before), after: names(after) })}
      aria-valuenow={(target === 'before' ? before.size : after.size) ?? 0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      className={classes(
        'relative z-20 shrink-0 touch-none bg-line before:absolute hover:bg-accent focus-visible:bg-accent',
        isRow
          ? 'w-px cursor-col-resize before:inset-y-0 before:-start-1 before:w-2'
          : 'h-px cursor-row-resize before:inset-x-0 before:-top-1 before:h-2',
      )}
    />
  );
}

const SIDES: readonly Side[] = ['left', 'right', 'above', 'below'];

function Leaf({
  layout,
  onChange,
  render,
  isMovable = false,
  panel,
  drag,
  onDrag,
}: NodeProps & { readonly panel: PanelId }) {
  const t = useWords();
  const name = t(`perps.layout.panel.${panel}`);
  const target = drag?.beside === panel && drag.panel !== panel ? drag.side : undefined;
  return (
    <div data-panel={panel} className="group/panel relative h-full w-full">
      {render(panel)}
      {isMovable && (
        <span className="pointer-events-none absolute top-0 start-1/2 z-20 flex h-2.5 -translate-x-1/2 leading-none">
          <Menu
            align="start"
            trigger={<Grip name={name} panel={panel} onDrag={onDrag} onDrop={drop} />}
            items={[
              ...SIDES.map((side) => ({
                label: t(`perps.layout.move.${side}`),
                isDisabled: moved(layout, panel, side) === layout,
                onSelect: () => onChange(moved(layout, panel, side)),
              })),
              { kind: 'line' },
              {
                label: t('perps.layout.close'),
                isDisabled: panelsOf(layout).length === 1,
                onSelect: () => onChange(without(layout, panel) ?? layout),
              },
            ]}
          />
        </span>
      )}
      {target !== undefined && <span aria-hidden="true" className={ZONES[target]} />}
    </div>
  );

  function drop(to: Drag): void {
    const { beside, side } = to;
    if (beside !== undefined && side !== undefined) {
      onChange(docked(layout, to.panel, { beside, side }));
    }
  }
}

const ZONE = 'pointer-events-none absolute z-30 border border-accent bg-accent/20';
const ZONES: Readonly<Record<Side, string>> = {
  left: `${ZONE} inset-y-0 start-0 w-1/2`,
  right: `${ZONE} inset-y-0 end-0 w-1/2`,
  above: `${ZONE} inset-x-0 top-0 h-1/2`,
  below: `${ZONE} inset-x-0 bottom-0 h-1/2`,
};

type GripProps = {
  readonly name: string;
  readonly panel: PanelId;
  readonly onDrag: (drag: Drag | undefined) => void;
  readonly onDrop: (drag: Drag) => void;
};

const DRAG_PX = 6;

/** Moves its panel with the pointer, or opens a menu when pressed. */
function Grip({ name, panel, onDrag, onDrop, ...menu }: GripProps) {
  const t = useWords();
  const start = useRef<{ readonly x: number; readonly y: number }>(undefined);
  const at = useRef<Drag>(undefined);
  const isDragging = (): boolean => at.current !== undefined;
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    const { clientX: x, clientY: y } = event;
    const from = start.current;
    if (from === undefined) return;
    if (!isDragging() && Math.hypot(x - from.x, y - from.y) < DRAG_PX) return;
    at.current = { panel, ...placeAt(x, y) };
    onDrag(at.current);
  };
  const end = (isDropped: boolean): void => {
    if (isDropped && at.current !== undefined) onDrop(at.current);
    start.current = undefined;
    onDrag(undefined);
  };
  return (
    <button
      {...menu}
      type="button"
      aria-label={t('perps.layout.menu', { name })}
      title={t('perps.layout.menu', { name })}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        at.current = undefined;
        start.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
      onClickCapture={(event) => {
        // A drag ends with a click, which must not open the menu.
        if (isDragging()) event.stopPropagation();
        at.current = undefined;
      }}
      className="pointer-events-auto flex h-2.5 w-8 touch-none items-center justify-center rounded-b text-muted opacity-0 group-hover/panel:opacity-100 hover:bg-raised hover:text-text focus-visible:bg-raised focus-visible:opacity-100 aria-expanded:bg-raised aria-expanded:opacity-100"
    >
      <svg aria-hidden="true" viewBox="0 0 16 4" className="w-4 fill-current">
        <path d="M1 1h2v2H1zM5 1h2v2H5zM9 1h2v2H9zM13 1h2v2h-2z" />
      </svg>
    </button>
  );
}

/** Returns the panel under a point, and the side of the panel that is closest to the point. */
function placeAt(x: number, y: number): Pick<Drag, 'beside' | 'side'> {
  const element = document
    .elementsFromPoint(x, y)
    .find((each): each is HTMLElement => each instanceof HTMLElement && 'panel' in each.dataset);
  if (element === undefined) return {};
  const box = element.getBoundingClientRect();
  const [across, down] = [(x - box.left) / box.width, (y - box.top) / box.height];
  const distances = { left: across, right: 1 - across, above: down, below: 1 - down };
  const side = SIDES.toSorted((a, b) => distances[a] - distances[b])[0];
  return { beside: element.dataset['panel'] as PanelId, side };
}
