/** The panels of the terminal. */
export const PANELS = ['chart', 'chart2', 'book', 'trades', 'ticket', 'tables'] as const;
export type PanelId = (typeof PANELS)[number];

/**
 * A panel, or a row or column of nodes. The size is in pixels along the row or column that contains
 * the node. A node without a size fills the remaining space.
 */
export type LayoutNode = { readonly size?: number | undefined } & (
  | { readonly panel: PanelId }
  | { readonly split: 'row' | 'column'; readonly nodes: readonly LayoutNode[] }
);
type Split = Extract<LayoutNode, { readonly split: unknown }>;

const TICKET_PX = 320;
const TABLES_PX = 240;

/** The default layout. On a wide screen, book and trades are next to each other. */
export function usualLayout(isWide: boolean): LayoutNode {
  const book: readonly LayoutNode[] = isWide
    ? [
        { panel: 'book', size: 280 },
        { panel: 'trades', size: 240 },
      ]
    : [
        {
          split: 'column',
          size: 300,
          nodes: [{ panel: 'book' }, { panel: 'trades', size: 180 }],
        },
      ];
  return {
    split: 'row',
    nodes: [
      {
        split: 'column',
        nodes: [
          { split: 'row', nodes: [{ panel: 'chart' }, ...book] },
          { panel: 'tables', size: TABLES_PX },
        ],
      },
      { panel: 'ticket', size: TICKET_PX },
    ],
  };
}

export function panelsOf(node: LayoutNode): readonly PanelId[] {
  return 'panel' in node ? [node.panel] : node.nodes.flatMap(panelsOf);
}

/**
 * Removes a panel. Its neighbours get its space, and a row or column left with a single node is
 * replaced by that node.
 */
export function without(node: LayoutNode, panel: PanelId): LayoutNode | undefined {
  if ('panel' in node) return node.panel === panel ? undefined : node;
  const nodes = node.nodes.flatMap((each) => without(each, panel) ?? []);
  const [only] = nodes;
  if (only === undefined) return undefined;
  if (nodes.length === 1) return { ...only, size: node.size };
  return { ...node, nodes: withFiller(nodes) };
}

/** Exactly one node in a row or column must fill it. If none does, the first node is used. */
function withFiller(nodes: readonly LayoutNode[]): readonly LayoutNode[] {
  if (nodes.some(({ size }) => size === undefined)) return nodes;
  return nodes.map((each, at) => (at === 0 ? { ...each, size: undefined } : each));
}

export type Side = 'left' | 'right' | 'above' | 'below';

/** Places a panel on one side of another panel, which gives up half of its space. */
export function docked(
  layout: LayoutNode,
  panel: PanelId,
  { beside, side }: { readonly beside: PanelId; readonly side: Side },
): LayoutNode {
  if (panel === beside) return layout;
  const rest = without(layout, panel);
  return rest === undefined ? layout : insert(rest, panel, { beside, side });
}

function insert(
  node: LayoutNode,
  panel: PanelId,
  place: { readonly beside: PanelId; readonly side: Side },
): LayoutNode {
  const split = place.side === 'left' || place.side === 'right' ? 'row' : 'column';
  const isBefore = place.side === 'left' || place.side === 'above';
  const added: LayoutNode = { panel, size: sizeOf(panel, split) };
  if ('panel' in node) {
    if (node.panel !== place.beside) return node;
    const kept: LayoutNode = { panel: node.panel };
    return { split, size: node.size, nodes: isBefore ? [added, kept] : [kept, added] };
  }
  const at = node.nodes.findIndex((each) => 'panel' in each && each.panel === place.beside);
  if (at >= 0 && node.split === split) {
    return { ...node, nodes: node.nodes.toSpliced(isBefore ? at : at + 1, 0, added) };
  }
  return { ...node, nodes: node.nodes.map((each) => insert(each, panel, place)) };
}

/** Charts share the remaining space. */
const WIDTHS: Readonly<Record<PanelId, number | undefined>> = {
  chart: undefined,
  chart2: undefined,
  book: 300,
  trades: 240,
  ticket: TICKET_PX,
  tables: 480,
};

function sizeOf(panel: PanelId, split: Split['split']): number | undefined {
  return split === 'row' ? WIDTHS[panel] : TABLES_PX;
}

/** Opens a closed panel next to the chart, or wherever there is space. */
export function opened(layout: LayoutNode, panel: PanelId): LayoutNode {
  const open = panelsOf(layout);
  if (open.includes(panel)) return layout;
  const beside = open.includes('chart') ? 'chart' : open[0]!;
  return docked(layout, panel, { beside, side: panel === 'tables' ? 'below' : 'right' });
}

/**
 * Moves a panel one position in a direction. In a row or column that runs in that direction, it
 * swaps places with its neighbour. Otherwise, it leaves its row or column and moves next to it.
 */
export function moved(layout: LayoutNode, panel: PanelId, side: Side): LayoutNode {
  const split = side === 'left' || side === 'right' ? 'row' : 'column';
  const step = side === 'left' || side === 'above' ? -1 : 1;
  return movedIn(layout, panel, { split, step }) ?? wrapped(layout, panel, { split, step });
}

type Way = { readonly split: Split['split']; readonly step: 1 | -1 };

function movedIn(node: LayoutNode, panel: PanelId, way: Way): LayoutNode | undefined {
  if ('panel' in node) return undefined;
  const at = node.nodes.findIndex((each) => panelsOf(each).includes(panel));
  const branch = node.nodes[at];
  if (branch === undefined) return undefined;
  const deeper = movedIn(branch, panel, way);
  if (deeper !== undefined) return { ...node, nodes: node.nodes.with(at, deeper) };
  if (node.split !== way.split) return undefined;
  if ('panel' in branch) {
    const other = node.nodes[at + way.step];
    if (other === undefined) return undefined;
    return { ...node, nodes: node.nodes.with(at, other).with(at + way.step, branch) };
  }
  const rest = without(branch, panel);
  if (rest === undefined) return undefined;
  const added: LayoutNode = { panel, size: sizeOf(panel, way.split) };
  const place = way.step < 0 ? at : at + 1;
  return { ...node, nodes: node.nodes.with(at, rest).toSpliced(place, 0, added) };
}

/** Moves a panel to an edge of the whole layout. */
function wrapped(layout: LayoutNode, panel: PanelId, { split, step }: Way): LayoutNode {
  const rest = without(layout, panel);
  if (rest === undefined || isAtEdge(layout, panel, { split, step })) return layout;
  const added: LayoutNode = { panel, size: sizeOf(panel, split) };
  const kept: LayoutNode = { ...rest, size: undefined };
  return { split, nodes: step < 0 ? [added, kept] : [kept, added] };
}

function isAtEdge(layout: LayoutNode, panel: PanelId, { split, step }: Way): boolean {
  if ('panel' in layout) return true;
  const edge = layout.nodes.at(step < 0 ? 0 : -1);
  return layout.split === split && edge !== undefined && 'panel' in edge && edge.panel === panel;
}

/** Sets the size in pixels of the node at a path. */
export function resized(node: LayoutNode, path: readonly number[], size: number): LayoutNode {
  const [at, ...rest] = path;
  if (at === undefined) return { ...node, size };
  if ('panel' in node) return node;
  const inner = node.nodes[at];
  return inner === undefined
    ? node
    : { ...node, nodes: node.nodes.with(at, resized(inner, rest, size)) };
}

const SIZE_MAX = 4_000;
const DEPTH_MAX = 8;

/** Returns a stored layout if it is valid. The stored value is untrusted. */
export function layoutOf(stored: unknown): LayoutNode | undefined {
  const node = nodeOf(stored, 0);
  if (node === undefined) return undefined;
  const panels = panelsOf(node);
  return new Set(panels).size === panels.length ? node : undefined;
}

function nodeOf(stored: unknown, depth: number): LayoutNode | undefined {
  if (typeof stored !== 'object' || stored === null || depth > DEPTH_MAX) return undefined;
  const { nodes, panel, size, split } = stored as Readonly<Record<string, unknown>>;
  const isSized = typeof size === 'number' && size > 0 && size <= SIZE_MAX;
  const sized = isSized ? { size } : {};
  const known = PANELS.find((each) => each === panel);
  if (known !== undefined) return { panel: known, ...sized };
  if ((split !== 'row' && split !== 'column') || !Array.isArray(nodes)) return undefined;
  const inner = nodes.map((each) => nodeOf(each, depth + 1));
  if (inner.length < 2 || !inner.every((each) => each !== undefined)) return undefined;
  return { split, nodes: withFiller(inner), ...sized };
}
